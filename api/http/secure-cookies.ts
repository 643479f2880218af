import type { IncomingHttpHeaders } from "node:http";

const THIS_MACHINE = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * Whether cookies carry `Secure`: always, but for plain http on this machine's own names, where browsers alone would
 * send them back. A forged Host weakens nobody's cookies but the forger's own; and of X-Forwarded-Proto "https" is
 * believed whoever says it, since that can only add `Secure`: so a proxy that isn't in TRUSTED_PROXIES and passes on a
 * Host of its own doesn't take it away.
 */
export function needsSecureCookies(headers: IncomingHttpHeaders): boolean {
  const forwarded = String(headers["x-forwarded-proto"] ?? "").toLowerCase();
  return /\bhttps\b/.test(forwarded) || !THIS_MACHINE.test(headers.host ?? "");
}
