import type { IncomingHttpHeaders } from "node:http";

const THIS_MACHINE = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * Whether a request says that it came by plain http on one of this machine's own names, where browsers alone would send
 * `Secure` cookies back: outside production they go without it then. In production the same head comes from a proxy that
 * sends its upstream's name and no X-Forwarded-Proto. "https" is believed from any peer, since that can only add `Secure`.
 */
export function isPlainHere(headers: IncomingHttpHeaders): boolean {
  const forwarded = String(headers["x-forwarded-proto"] ?? "").toLowerCase();
  return !/\bhttps\b/.test(forwarded) && THIS_MACHINE.test(headers.host ?? "");
}
