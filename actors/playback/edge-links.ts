import { createHash } from "node:crypto";
import type { Clock } from "../../store/clock.ts";

/** The configured edge from which players fetch. */
export type Edge = {
  /** Without a trailing slash. */
  url: string;
  /** The first key signs; the edge accepts all of them. */
  signingKeys: readonly string[];
  hasLowLatency: boolean;
};

/** TTL of a signed URL. */
export const LINK_LIFE_S = 300;

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

/**
 * Signs URLs on the edge. One signature is valid for all files of a stream, since a manifest references its segments by relative
 * URLs. nginx's scheme is MD5 with the secret at the end, so the keys are used for nothing else and links are short-lived.
 */
export function createEdgeLinks({ edge, clock }: { edge: Edge; clock: Clock }) {
  const [signing] = edge.signingKeys;
  if (signing === undefined) throw new Error("the edge needs a key");
  const keyId = keyIdOf(signing);

  return {
    /** URLs of a stream's files, all with the same expiry. `file` is relative to the stream's folder on the edge. */
    of(streamId: string): { urlOf(file: string): string; expiresAt: Date } {
      const expires = Math.floor(clock.now() / 1_000) + LINK_LIFE_S;
      const signature = createHash("md5").update(`${expires} ${streamId} ${signing}`).digest("base64url");
      const folder = `${edge.url}/${keyId}/${signature}/${expires}/${streamId}`;
      return { urlOf: (file) => `${folder}/${file}`, expiresAt: new Date(expires * 1_000) };
    },
  };
}
