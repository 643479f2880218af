import { canonicalAddress } from "./addresses.ts";

const NAMES: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether a host names this machine. As in a URL: without a port, IPv6 in brackets. */
export const isThisMachine = (host: string): boolean => NAMES.has(host.toLowerCase());

/** A host as URLs and browsers' Host headers have it: in lower case, IPv6 in its short form and in brackets. */
export function urlHostOf(host: string): string {
  const address = canonicalAddress(host) ?? host.toLowerCase();
  return address.includes(":") ? `[${address}]` : address;
}

/** The host of a Host header, without its port and in lower case; null when it has another form. */
export const hostIn = (header: string | undefined): string | null =>
  /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(header?.toLowerCase() ?? "")?.[1] ?? null;
