import { createHash } from "node:crypto";
import type { Clock } from "../../store/clock.ts";

/** The edge that players fetch from, as configured. */
export type Edge = {
  /** Without a slash at its end. */
  url: string;
  /** The first signs; the edge accepts all of them. */
  signingKeys: readonly string[];
  hasLowLatency: boolean;
};

/** How long a signed address is good for. */
export const LINK_LIFE_S = 300;

/** What is signed, as nginx's `secure_link_md5` takes it, and where the parts stand in the address. */
export const LINK_SCHEME = {
  scheme: "secure_link_md5",
  expression: "{expires} {stream_id} {secret}",
  path: "/{key_id}/{signature}/{expires}/{stream_id}/{file}",
} as const;

export type EdgeLinks = ReturnType<typeof createEdgeLinks>;

/** Names a key without showing it, alike on every machine: the edge chooses its secret by it. */
export const keyIdOf = (secret: string): string =>
  createHash("sha256").update(secret).digest("hex").slice(0, 8);

/**
 * Signs addresses on the edge. One signature holds for everything of a stream, since a manifest names its segments
 * relative to itself. nginx's scheme is MD5 over a secret at the end: the keys are for this alone, and links short-lived.
 */
export function createEdgeLinks({ edge, clock }: { edge: Edge; clock: Clock }) {
  const [signing] = edge.signingKeys;
  if (signing === undefined) throw new Error("the edge needs a key");
  const keyId = keyIdOf(signing);

  return {
    /** Addresses of a stream's files, all with the same end. `file` is relative to the stream's folder on the edge. */
    of(streamId: string): { urlOf(file: string): string; expiresAt: Date } {
      const expires = Math.floor(clock.now() / 1_000) + LINK_LIFE_S;
      const signature = createHash("md5").update(`${expires} ${streamId} ${signing}`).digest("base64url");
      const folder = `${edge.url}/${keyId}/${signature}/${expires}/${streamId}`;
      return { urlOf: (file) => `${folder}/${file}`, expiresAt: new Date(expires * 1_000) };
    },
  };
}
