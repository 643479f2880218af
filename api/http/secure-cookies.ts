import type { IncomingHttpHeaders } from "node:http";
import { hostIn, isThisMachine } from "../../base/this-machine.ts";

/**
 * Whether a request claims to have come over plain http on one of this machine's own names, where only browsers would
 * send `Secure` cookies back: outside production cookies omit it then. In production the same headers come from a proxy
 * that sends its upstream's name and no X-Forwarded-Proto. "https" is believed from any peer, since that can only add
 * `Secure`.
 */
export function isPlainHttp(headers: IncomingHttpHeaders): boolean {
  const forwarded = String(headers["x-forwarded-proto"] ?? "").toLowerCase();
  return !/\bhttps\b/.test(forwarded) && isThisMachine(hostIn(headers.host) ?? "");
}
