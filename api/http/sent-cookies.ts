import type { IncomingHttpHeaders } from "node:http";
import { parseCookie } from "cookie";

/** What a request brings of our cookies. Pages of a sibling host can add cookies of a name, whose order is then theirs. */
export type SentCookies = {
  access: readonly string[];
  refresh: readonly string[];
  devices: readonly string[];
  /** The secret of a flow at a provider; null unless exactly one was sent. */
  oauth: string | null;
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

export function readCookies({ cookie = "" }: IncomingHttpHeaders, isSecure: boolean): SentCookies {
  // One pair at a time: of a repeated name the parser would keep the first alone.
  const pairs = cookie.split(";").flatMap((pair) => Object.entries(parseCookie(pair)));
  const all = (name: string): string[] =>
    pairs.flatMap(([key, value]) => (key === name && value ? [value] : []));
  const lone = ([only, ...more]: string[]): string | null =>
    only === undefined || more.length > 0 ? null : only;
  return {
    access: all("lc_access_token"),
    refresh: all("lc_refresh_token"),
    devices: all("lc_device_id"),
    oauth: lone(all(ownHostName("lc_oauth", isSecure))),
    hasOwn: pairs.some(([name]) => OWN.test(name)),
  };
}
