import { RestClient, type RestOptions } from "./rest/rest-client.ts";
import { connectLive, type LiveClient } from "./sockets/live-client.ts";
import type { ConnectionOptions } from "./sockets/options.ts";

export type LivecoreOptions = RestOptions & {
  /** The WebSocket class for `live()`: that of `ws` under Node; in browsers their own is the default. */
  WebSocket?: ConnectionOptions["WebSocket"];
};

/** A REST client whose sockets are signed in as the same user. */
export type LivecoreClient = RestClient & {
  /**
   * Opens a socket for any number of topics, as the user who is signed in now. When that changes it ends, with `onEnd`. The
   * caller closes it.
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
