/** The URL of the specs' MongoDB (MONGODB_URL). */
export function mongodAddress(): URL {
  const { MONGODB_URL = "" } = process.env;
  const url = URL.canParse(MONGODB_URL) ? new URL(MONGODB_URL) : null;
  if (url?.port && ["127.0.0.1", "localhost"].includes(url.hostname)) return url;
  throw new Error("This needs a MONGODB_URL on this machine; `npm test` starts one and sets it.");
}

/** The same server through a proxy. Without the replica set's name, since a driver would otherwise bypass the proxy. */
export function throughProxy(mongod: URL, port: number): string {
  const url = new URL(mongod);
  url.port = String(port);
  url.searchParams.delete("replicaSet");
  url.searchParams.set("directConnection", "true");
  return url.href;
}
