import { RestClient, type RestOptions } from "./rest/rest-client.ts";
import { connectLive, type LiveClient } from "./sockets/live-client.ts";
import type { ConnectionOptions } from "./sockets/options.ts";

export type LivecoreOptions = RestOptions & {
  /** For `live()`; under Node that of `ws`, in browsers their own. */
  WebSocket?: ConnectionOptions["WebSocket"];
};

/** REST, and sockets that are signed in as the same user. */
export type LivecoreClient = RestClient & {
  /**
   * A socket for any number of topics, of the user who is signed in now: it ends, with `onEnd`, when that changes.
   * Whoever opens it closes it.
   */
  live(options?: Omit<ConnectionOptions, "url" | "ticket" | "WebSocket">): LiveClient;
};

class Client extends RestClient implements LivecoreClient {
  readonly #socket: Pick<ConnectionOptions, "url" | "WebSocket">;

  constructor({ WebSocket, ...options }: LivecoreOptions) {
    super(options);
    this.#socket = { url: options.baseUrl.replace(/^http/, "ws"), ...(WebSocket ? { WebSocket } : {}) };
  }

  live(options: Parameters<LivecoreClient["live"]>[0] = {}): LiveClient {
    const { identity } = this;
    const signal = options.signal ? AbortSignal.any([options.signal, identity]) : identity;
    return connectLive({ ...options, ...this.#socket, signal, ticket: () => this.ticket() });
  }
}

export function createClient(options: LivecoreOptions): LivecoreClient {
  return new Client(options);
}
