/**
 * Requests to addresses that strangers name, as the endpoints of web push are: https on its own port, to a host by its name, and
 * to no address that isn't public, which is looked at where the connection is made, so that a name that changes what it
 * resolves to gets nowhere either. Redirects aren't followed, and little of an answer is read.
 */
import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { Agent, type AgentOptions, request } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress } from "../../store/addresses.ts";
import { ANSWER_BYTES, PUSH_DEADLINE_MS } from "./sender.ts";

export type Reach = {
  mayName(url: URL): boolean;
  /** All that a name leads to; rejects or has none when nobody knows it. */
  addressesOf(hostname: string): Promise<LookupAddress[]>;
  mayConnect(address: string): boolean;
  /** How connections are made, where that isn't as usual. */
  connection?: AgentOptions;
};

/** Of one try, ms, and tries. */
const NAMES = { timeout: 2_000, tries: 2 };

/**
 * What names lead to, asked of DNS itself and not of the system: that does it in one of four threads, which names whose servers
 * don't answer would take from all else that a process does. `servers`: those of the system unless said otherwise.
 */
export function addressesByDns(servers?: readonly string[]): Reach["addressesOf"] {
  return async (hostname) => {
    // One keeps the servers that the system had when it was made.
    const resolver = new Resolver(NAMES);
    if (servers) resolver.setServers(servers);
    const found = await Promise.allSettled([
      resolver.resolve4(hostname).then((all) => all.map((address) => ({ address, family: 4 }))),
      resolver.resolve6(hostname).then((all) => all.map((address) => ({ address, family: 6 }))),
    ]);
    return found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  };
}

export const PUBLIC_HOSTS: Reach = {
  mayName: ({ protocol, hostname, port, username, password }) =>
    protocol === "https:" &&
    port === "" &&
    username === "" &&
    password === "" &&
    isIP(hostname.replace(/^\[|\]$/g, "")) === 0 &&
    /^[^.].*\.[a-z][a-z0-9-]*$/.test(hostname),
  addressesOf: addressesByDns(),
  mayConnect: isPublicAddress,
};

export type Answer = { status: number; retryAfter: string | null };

export function createPublicHttps(reach: Reach, deadlineMs = PUSH_DEADLINE_MS) {
  const agent = new Agent({
    ...{ keepAlive: true, maxSockets: 10, maxFreeSockets: 2, lookup: lookupWithin(reach) },
    ...reach.connection,
  });
  return {
    /** Rejects when it isn't answered, in time, by a host that may be asked. */
    post(url: URL, headers: Record<string, string | number>, body: Buffer): Promise<Answer> {
      return new Promise((resolve, reject) => {
        // A host that is an address isn't looked up.
        const address = url.hostname.replace(/^\[|\]$/g, "");
        if (!reach.mayName(url) || (isIP(address) !== 0 && !reach.mayConnect(address)))
          return reject(new Error("the endpoint isn't a public one"));
        const signal = AbortSignal.timeout(deadlineMs);
        const asked = request(url, { method: "POST", headers, agent, signal }, (answer) => {
          const { statusCode: status = 0, headers: said } = answer;
          let read = 0;
          answer.on("data", (chunk: Buffer) => {
            read += chunk.length;
            if (read > ANSWER_BYTES) answer.destroy();
          });
          // The status is what counts, whatever becomes of the rest.
          answer.on("error", () => undefined);
          answer.on("close", () => resolve({ status, retryAfter: said["retry-after"] ?? null }));
        });
        asked.on("error", (err) => reject(failureOf(err)));
        asked.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}

/** Without the address, which is as good as a token. */
function failureOf(err: Error): Error {
  const code = "code" in err ? String(err.code) : err.name;
  return new Error(`the push service wasn't reached: ${code.slice(0, 40)}`);
}

/** One address that isn't public is enough to refuse the name. */
const lookupWithin =
  ({ addressesOf, mayConnect }: Reach): LookupFunction =>
  (hostname, options, callback) => {
    const failed = (code: string) => callback(Object.assign(new Error("no address"), { code }), "", 0);
    const took = (found: LookupAddress[]) => {
      const [first] = found;
      if (!first) return failed("ENOTFOUND");
      if (!found.every(({ address }) => mayConnect(address))) return failed("ENOTPUBLIC");
      if (options.all) callback(null, found);
      else callback(null, first.address, first.family);
    };
    addressesOf(hostname).then(took, () => failed("ENOTFOUND"));
  };
