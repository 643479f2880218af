import { createHash } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import { HOUR_MS } from "../../../base/durations.ts";

/** The configured edge from which players fetch. */
export type Edge = {
  /** Without a trailing slash. */
  url: string;
  /** The first key signs; the edge accepts all of them. */
  signingKeys: readonly string[];
  hasLowLatency: boolean;
};

/** TTL of a signed URL; longer than any answer is cached. */
export const LINK_LIFE_S = 300;
/**
 * URLs of public files expire at multiples of this, the second from now, so after 6 to 12 hours: caches can keep them, since
 * all answers of 6 hours have the same.
 */
const PUBLIC_STEP_S = (6 * HOUR_MS) / 1_000;

/** What is signed, in the format of nginx's `secure_link_md5`, and the layout of the URL's path. */
export const LINK_SCHEME = {
  scheme: "secure_link_md5",
  expression: "{expires} {stream_id} {secret}",
  path: "/{key_id}/{signature}/{expires}/{stream_id}/{file}",
} as const;

export type EdgeLinks = ReturnType<typeof createEdgeLinks>;

/** Identifies a key without revealing it, the same on every machine; the edge selects its secret by it. */
export const keyIdOf = (secret: string): string =>
  createHash("sha256").update(secret).digest("hex").slice(0, 8);

/** The files of a clip, or those that show a recording. */
type EdgeFiles = { id: string; isPublic: boolean };

/**
 * The folder of these files on the edge. It has another name when they aren't public, so that URLs from before open nothing any
 * more once the media service has moved them. Neither name is that of a stream or recording, whose signature plays it.
 */
const folderOf = ({ id, isPublic }: EdgeFiles): string => `${id}_${isPublic ? "public" : "private"}`;

/** The signed parts of an address. */
type SignedAddress = { keyId: string; signature: string; expires: number; name: string };

type Links = { urlOf(file: string): string; expiresAt: Date };

const signatureOf = (expires: number, name: string, secret: string): string =>
  createHash("md5").update(`${expires} ${name} ${secret}`).digest("base64url");

/**
 * Signs URLs on the edge. One signature is valid for all files of a folder, since a manifest references its segments by relative
 * URLs. nginx's scheme is MD5 with the secret at the end, so the keys are used for nothing else and links expire.
 */
export function createEdgeLinks({ edge, clock }: { edge: Edge; clock: Clock }) {
  const [signing] = edge.signingKeys;
  const keyId = signing === undefined ? null : keyIdOf(signing);
  const nowS = () => Math.floor(clock.now() / 1_000);

  function signed(name: string, expires: number): Links {
    // Only processes that give out addresses have the keys.
    if (keyId === null) throw new Error("the edge needs a key");
    const signature = signatureOf(expires, name, signing ?? "");
    const folder = `${edge.url}/${keyId}/${signature}/${expires}/${name}`;
    return { urlOf: (file) => `${folder}/${file}`, expiresAt: new Date(expires * 1_000) };
  }

  return {
    /** Whether an edge serves that address now, as nginx decides it. */
    accepts({ keyId: id, signature, expires, name }: SignedAddress): boolean {
      const secret = edge.signingKeys.find((key) => keyIdOf(key) === id);
      return secret !== undefined && signature === signatureOf(expires, name, secret) && expires >= nowS();
    },

    /** URLs that play a stream or recording, all with the same expiry. `file` is relative to its folder on the edge. */
    of: (id: string): Links => signed(id, nowS() + LINK_LIFE_S),

    /** URLs of single files, to be made for each answer and never stored. `file` is relative to their folder on the edge. */
    ofFiles(files: EdgeFiles): Links {
      const now = nowS();
      const expires = files.isPublic
        ? (Math.floor(now / PUBLIC_STEP_S) + 2) * PUBLIC_STEP_S
        : now + LINK_LIFE_S;
      return signed(folderOf(files), expires);
    },
  };
}
