/** `redis+cluster://[user:password@]host:port,host:port`, with `rediss` for TLS. */
const CLUSTER = /^(rediss?)\+cluster:\/\/(?:([^@/]*)@)?([^@/]+)\/?$/;
const DEFAULT_PORT = 6379;

/** For authentication at every node. */
export type Credentials = { username?: string; password?: string; tls?: object };

export type ClusterAddress = {
  /** Some of the nodes; they report the others. */
  seeds: { host: string; port: number }[];
  options: Credentials;
};

/** Null for the address of a single server; throws for an invalid cluster address, with the expected format. */
export function clusterAddress(url: string): ClusterAddress | null {
  if (!/^rediss?\+cluster:/.test(url)) return null;
  const [, scheme, credentials, hosts = ""] = CLUSTER.exec(url) ?? [];
  if (scheme === undefined) {
    throw new Error(
      "must be a cluster's address such as redis+cluster://[user:password@]host:port,host:port",
    );
  }
  const [username = "", password = ""] = (credentials ?? "").split(":").map(decodeURIComponent);
  return {
    seeds: hosts.split(",").map((host) => seed(host.trim())),
    options: {
      ...(username === "" ? {} : { username }),
      ...(password === "" ? {} : { password }),
      ...(scheme === "rediss" ? { tls: {} } : {}),
    },
  };
}

/** IPv6 addresses are in brackets. */
function seed(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) throw new Error(`holds "${text}", which is no host:port`);
  return { host, port: port === undefined ? DEFAULT_PORT : Number(port) };
}
