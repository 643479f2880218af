import { type Networks, networksFrom } from "../../../base/addresses.ts";

export type IngestNetworks = Networks;

/**
 * The networks from which ingest hooks are accepted: this machine's own addresses and the configured ones
 * ("10.0.0.0/8", "192.0.2.7", "fd00::/8"). Throws for an entry that isn't a network.
 */
export const ingestNetworks = (configured: readonly string[]): IngestNetworks =>
  networksFrom(["127.0.0.0/8", "::1", ...configured]);
