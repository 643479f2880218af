import type { IncomingHttpHeaders } from "node:http";
import type { Peer } from "../../contract/peers.ts";

/**
 * Verifies the signature of a body before it is parsed, by the scheme that its operation declares. `peer`: the service that must
 * have signed; null for a scheme of its own. Throws `signature_invalid`.
 */
type Verify = (headers: IncomingHttpHeaders, raw: Buffer, peer: Peer | null) => void;

export type Signatures = Readonly<Record<"standard" | "stripe", Verify>>;
