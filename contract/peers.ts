/**
 * The services that call us with a system key. Each has keys of its own, which open only the operations that are for it
 * (`x-access.peer`), and the secrets of its own that sign its reports.
 */
export const PEERS = {
  ingest: "the RTMP server",
  edge: "the edge",
  media: "the media service",
  billing: "the payment platform",
} as const;

export type Peer = keyof typeof PEERS;

export const isPeer = (name: unknown): name is Peer => typeof name === "string" && Object.hasOwn(PEERS, name);
