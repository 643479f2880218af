import { BlockList, isIP, SocketAddress } from "node:net";

/** For a peer without a known address, since it has disconnected already. All such peers share one count. */
export const UNKNOWN_ADDRESS = "unknown";

/**
 * Normalises an address: IPv4 dotted, also when a dual-stack listener reports it mapped into IPv6; IPv6 in its short lower-case
 * form, without a zone. A port after the address is dropped, since some proxies append it.
 * Null for anything else.
 */
export function canonicalAddress(text: string): string | null {
  const bare = withoutPort(text.trim());
  const family = isIP(bare);
  if (family === 4) return bare;
  if (family === 0) return null;
  const { address } = new SocketAddress({ address: bare, family: "ipv6" });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  return mapped?.[1] ?? address;
}

/** The key that limits count by: an IPv4 address, or the /64 network, which is what one household has in IPv6. */
export function addressKey(address: string): string {
  const plain = canonicalAddress(address);
  if (plain === null) return UNKNOWN_ADDRESS;
  if (isIP(plain) === 4) return plain;
  const [head = "", tail] = plain.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(zeros).fill("0"), ...after];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

export type Networks = { has(address: string): boolean };

/**
 * Addresses and networks in CIDR form ("10.0.0.0/8", "192.0.2.7", "fd00::/8"). Throws on an entry that is neither, so
 * that a typo fails the start.
 */
export function networksFrom(entries: readonly string[]): Networks {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix, ...more] = entry.trim().split("/");
    const family = isIP(address);
    const longest = family === 4 ? 32 : 128;
    const bits = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (family === 0 || more.length > 0 || !(bits <= longest)) {
      throw new Error(`"${entry}" is no address and no network`);
    }
    list.addSubnet(address, bits, family === 4 ? "ipv4" : "ipv6");
  }
  if (entries.length === 0) return { has: () => false };
  return {
    has(address) {
      const plain = canonicalAddress(address);
      return plain !== null && list.check(plain, isIP(plain) === 4 ? "ipv4" : "ipv6");
    },
  };
}

/** IANA's special-purpose registries: loopback, private, link-local, documentation, multicast, and ranges that embed IPv4. */
const NOT_PUBLIC = {
  4: networksFrom([
    ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
    ...["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"],
    ...["198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"],
  ]),
  // In a list of its own: an IPv6 network that contains the mapped addresses would match all of IPv4.
  6: networksFrom([
    ...["::/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "4000::/2", "8000::/1"],
  ]),
};

/** Whether it is a public internet address, so that a request to it on a stranger's behalf can't reach our network (SSRF). */
export function isPublicAddress(address: string): boolean {
  const plain = canonicalAddress(address);
  return plain !== null && !NOT_PUBLIC[isIP(plain) === 4 ? 4 : 6].has(plain);
}

export type ClientAddress = (peer: string | undefined, forwardedFor: string | undefined) => string;

/**
 * A client's address: the last one on its path that isn't a trusted proxy's. X-Forwarded-For is read from its end, and only as
 * far as trusted proxies wrote it; an entry that isn't an address ends the search at the proxy that passed it on.
 */
export function clientAddressBehind(trustedProxies: Networks): ClientAddress {
  return (peer, forwardedFor) => {
    let address = canonicalAddress(peer ?? "");
    if (address === null) return UNKNOWN_ADDRESS;
    const hops = forwardedFor ? forwardedFor.split(",") : [];
    while (trustedProxies.has(address)) {
      const hop = canonicalAddress(hops.pop() ?? "");
      if (hop === null) break;
      address = hop;
    }
    return address;
  };
}

function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  if (bracketed) return bracketed[1] ?? "";
  return /^\d+\.\d+\.\d+\.\d+:\d{1,5}$/.test(text) ? text.slice(0, text.indexOf(":")) : text;
}
