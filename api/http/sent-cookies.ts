import type { IncomingHttpHeaders } from "node:http";
import { parseCookie } from "cookie";
import { lone, type PresentedCookies } from "../../actors/accounts/tokens/cookie-sessions.ts";

/** What a request brings of our cookies. */
export type SentCookies = PresentedCookies & {
  /** The secret of a flow at a provider; null unless exactly one was sent. */
  oauth: string | null;
  /** The secret of a browser that begins to sign in with a passkey; likewise. */
  passkey: string | null;
  /** The binding of a sign-in that waits for its second factor; likewise. */
  pendingSignIn: string | null;
  /** Any cookie of ours, also one that counts for nothing. */
  hasOwn: boolean;
};

const OWN = /^(?:__Host-)?lc_/;
const HOST_PREFIX = "__Host-";

/**
 * The name of a cookie that no other host may set: browsers accept the prefix only from this host, with `Secure`, `Path=/` and no
 * `Domain`. Where `Secure` is left out, on this machine's own names, so is the prefix.
 */
export const ownHostName = (name: string, isSecure: boolean): string =>
  isSecure ? HOST_PREFIX + name : name;

/** `isBound`: sessions have bindings here, which are for this host alone; with a cookie domain there are none. */
export function readCookies(
  { cookie = "", "sec-fetch-site": fetchSite }: IncomingHttpHeaders,
  { isSecure, isBound }: { isSecure: boolean; isBound: boolean },
): SentCookies {
  // One pair at a time: of a repeated name the parser would keep the first alone.
  const pairs = cookie.split(";").flatMap((pair) => Object.entries(parseCookie(pair)));
  const all = (name: string): string[] =>
    pairs.flatMap(([key, value]) => (key === name && value ? [value] : []));
  const bindings = all(ownHostName("lc_binding", isSecure));
  return {
    access: all("lc_access_token"),
    refresh: all("lc_refresh_token"),
    devices: all("lc_device_id"),
    // Of two at most one can be ours, so neither belongs to anything.
    binding: isBound && bindings.length > 0 ? (lone(bindings) ?? "") : null,
    // Only browsers send it, and pages can't.
    needsBinding: isBound && fetchSite !== undefined,
    oauth: lone(all(ownHostName("lc_oauth", isSecure))),
    passkey: lone(all(ownHostName("lc_passkey", isSecure))),
    pendingSignIn: lone(all(ownHostName("lc_sign_in", isSecure))),
    hasOwn: pairs.some(([name]) => OWN.test(name)),
  };
}
