import { BlockList, isIP } from "node:net";

/**
 * The networks from which ingest hooks are taken: this machine's own addresses and what is configured
 * ("10.0.0.0/8", "192.0.2.7", "fd00::/8"). Throws on an entry that is no network, so that a typo stops the start.
 */
export function ingestNetworks(configured: readonly string[]) {
  const allowed = new BlockList();
  for (const network of ["127.0.0.0/8", "::1", ...configured]) add(allowed, network);

  return {
    has(ip: string): boolean {
      // A dual-stack listener shows IPv4 peers as ::ffff:a.b.c.d.
      const address = ip.replace(/^::ffff:(?=\d+\.)/i, "");
      const family = isIP(address);
      return family !== 0 && allowed.check(address, family === 4 ? "ipv4" : "ipv6");
    },
  };
}

export type IngestNetworks = ReturnType<typeof ingestNetworks>;

function add(list: BlockList, network: string): void {
  const [address = "", prefix] = network.trim().split("/");
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  const bits = prefix === undefined ? longest : Number(prefix);
  if (family === 0 || !Number.isInteger(bits) || bits < 0 || bits > longest) {
    throw new Error(`"${network}" is not an address or a network for ingest hooks.`);
  }
  list.addSubnet(address, bits, family === 4 ? "ipv4" : "ipv6");
}
