import { createHash } from "node:crypto";
import type { World } from "./world.ts";

const ADDRESS = /^https:\/\/edge\.example\/hls\/([0-9a-f]{8})\/([\w-]{22})\/(\d+)\/([\w-]+)\/(.+)$/;

/** The edge's configuration in specs, unless they choose another. */
export const EDGE_URL = "https://edge.example/hls";

/** The parts of a signed address; empty for another one. */
export function signedParts(address: string) {
  const [, keyId = "", signature = "", expires = "", folder = "", file = ""] = ADDRESS.exec(address) ?? [];
  return { keyId, signature, expiresMs: Number(expires) * 1_000, folder, file };
}

/** Checks addresses as nginx's secure_link_md5 does, from the configuration that an edge gets. */
export const edgeOf = (world: World) => ({
  async accepts(address: string, now = world.clock.now()): Promise<boolean> {
    const system = world.api.with({ "x-system-key": world.systemKeys.edge });
    const { keys, expression } = await system.ok("getEdgeConfig");
    const { keyId, signature, expiresMs, folder } = signedParts(address);
    const secret = keys.find(({ id }) => id === keyId)?.secret ?? "";
    const parts = { expires: String(expiresMs / 1_000), stream_id: folder, secret };
    const hashed = Object.entries(parts).reduce(
      (text, [name, value]) => text.replace(`{${name}}`, value),
      expression,
    );
    const wanted = createHash("md5").update(hashed).digest("base64url");
    return signature === wanted && expiresMs >= now;
  },
});
