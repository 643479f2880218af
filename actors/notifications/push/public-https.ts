/**
 * Requests to URLs from untrusted sources, such as endpoints of web push, protected against SSRF: https on the default port only,
 * to host names only, and to public addresses only. The address is checked when the connection is made, so that DNS rebinding
 * doesn't help either. Redirects aren't followed, and only the beginning of a response is read.
 */
import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { Agent, type AgentOptions, request } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress } from "../../../base/addresses.ts";
import { PEER_DEADLINES_MS } from "../../../base/peer-deadlines.ts";
import { ANSWER_BYTES } from "./sender.ts";

export type HostPolicy = {
  mayName(url: URL): boolean;
  /** All addresses of a host name; rejects, or is empty, when it can't be resolved. */
  addressesOf(hostname: string): Promise<LookupAddress[]>;
  mayConnect(address: string): boolean;
  /** Overrides how connections are made. */
  connection?: AgentOptions;
};

/** `timeout` is per try, in ms. */
const RESOLVER_OPTIONS = { timeout: 2_000, tries: 2 };

/**
 * Resolves names over DNS instead of the system's resolver (getaddrinfo). That one runs in a pool of four threads, and names
 * whose servers don't answer would take these threads from everything else in the process. `servers` defaults to the system's.
 */
export function addressesByDns(servers?: readonly string[]): HostPolicy["addressesOf"] {
  return async (hostname) => {
    // A new one each time, because a resolver keeps the system's servers from the time of its creation.
    const resolver = new Resolver(RESOLVER_OPTIONS);
    if (servers) resolver.setServers(servers);
    const found = await Promise.allSettled([
      resolver.resolve4(hostname).then((all) => all.map((address) => ({ address, family: 4 }))),
      resolver.resolve6(hostname).then((all) => all.map((address) => ({ address, family: 6 }))),
    ]);
    return found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  };
}

export const PUBLIC_HOSTS: HostPolicy = {
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

export function createPublicHttps(reach: HostPolicy, deadlineMs = PEER_DEADLINES_MS.push) {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 10,
    maxFreeSockets: 2,
    lookup: lookupWithin(reach),
    ...reach.connection,
  });
  return {
    /** Rejects when the host isn't allowed, can't be reached or doesn't respond before the deadline. */
    post(url: URL, headers: Record<string, string | number>, body: Buffer): Promise<Answer> {
      return new Promise((resolve, reject) => {
        // A host that is an IP address skips `lookup`, so it is checked here.
        const address = url.hostname.replace(/^\[|\]$/g, "");
        if (!reach.mayName(url) || (isIP(address) !== 0 && !reach.mayConnect(address)))
          return reject(new Error("the endpoint isn't a public one"));
        const signal = AbortSignal.timeout(deadlineMs);
        let isAnswered = false;
        const outgoing = request(url, { method: "POST", headers, agent, signal }, (answer) => {
          isAnswered = true;
          const { statusCode: status = 0, headers: received } = answer;
          let read = 0;
          answer.on("data", (chunk: Buffer) => {
            read += chunk.length;
            if (read > ANSWER_BYTES) answer.destroy();
          });
          // Only the status matters, so errors while reading the body are ignored.
          answer.on("error", () => undefined);
          answer.on("close", () => resolve({ status, retryAfter: received["retry-after"] ?? null }));
        });
        // With a status, "close" follows.
        outgoing.on("error", (err) => {
          if (!isAnswered) reject(failureOf(err));
        });
        outgoing.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}

/** Leaves out the endpoint's URL, which is a secret like a token. */
function failureOf(err: Error): Error {
  const code = "code" in err ? String(err.code) : err.name;
  return new Error(`the push service wasn't reached: ${code.slice(0, 40)}`);
}

/** Rejects a name if any one of its addresses isn't public. */
const lookupWithin =
  ({ addressesOf, mayConnect }: HostPolicy): LookupFunction =>
  (hostname, options, callback) => {
    const failed = (code: string) => callback(Object.assign(new Error("no address"), { code }), "", 0);
    const check = (found: LookupAddress[]) => {
      const [first] = found;
      if (!first) return failed("ENOTFOUND");
      if (!found.every(({ address }) => mayConnect(address))) return failed("ENOTPUBLIC");
      if (options.all) callback(null, found);
      else callback(null, first.address, first.family);
    };
    addressesOf(hostname).then(check, () => failed("ENOTFOUND"));
  };
