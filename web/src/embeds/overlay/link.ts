import { createClient, type LiveClient, type LivecoreClient, LivecoreError } from "@livecore/client";
import type { Member } from "../../site/connection.ts";
import { tellTimeBy } from "../../site/service-clock.ts";
import type { ShownOverlay } from "./settings.ts";

const FIRST_RETRY_MS = 2_000;
const LAST_RETRY_MS = 60_000;
/** How often an open overlay reads its settings again, which also tells its owner that it is open. */
const SIGN_OF_LIFE_MS = 300_000;
const TICK_MS = 1_000;
/** A timer that is later than this has slept, and with it whatever was to notice a dead socket. */
const SLEPT_MS = 15_000;

/** The service's base URL, before /overlay/: PUBLIC_URL may have a path. */
const serviceUrl = (): string => location.href.slice(0, location.href.indexOf("/overlay/"));

/**
 * What an overlay has of the service: its settings, and one socket that its token opens. `null` once the token has ended: then there is
 * nothing to show, and nothing is asked for again.
 */
export class OverlayLink {
  readonly #client: LivecoreClient;
  /** What everybody may read of a room needs no token, and takes none of an overlay. */
  readonly #reader = createClient({ baseUrl: serviceUrl() });
  readonly #live: LiveClient;
  readonly #onChange: (overlay: ShownOverlay | null) => void;
  #ticked = Date.now();
  #isEnded = false;

  constructor(token: string, onChange: (overlay: ShownOverlay | null) => void) {
    this.#onChange = onChange;
    this.#client = createClient({ baseUrl: serviceUrl(), auth: { mode: "token", token } });
    this.#live = this.#client.live({ onEnd: () => this.#end() });
    tellTimeBy(this.#live);
    const user = this.#live.subscribe("user");
    user.on("overlay.updated", ({ data: { id, stream_id, kind, settings } }) =>
      this.#onChange({ id, stream_id, kind, settings }),
    );
    user.on("subscribed", ({ data: { recovered } }) => {
      if (recovered !== true) void this.#read();
    });
    setInterval(() => void this.#read(), SIGN_OF_LIFE_MS);
    setInterval(() => this.#wakeUp(), TICK_MS);
    addEventListener("online", () => this.#reconnect());
    void this.#readAtFirst();
  }

  get live(): Pick<LiveClient, "subscribe"> {
    return this.#live;
  }

  /** As which parts of pages follow a room: by this socket, without an account. */
  get member(): Member {
    const live = this.#live;
    return { client: this.#reader, isUser: false, connect: () => ({ live, close: () => undefined }) };
  }

  /** Null without an answer. */
  async alerts() {
    const answer = await this.#client.attempt("listOverlayAlerts").catch(() => null);
    return answer?.ok ? answer.data : null;
  }

  async #readAtFirst(): Promise<void> {
    for (let wait = FIRST_RETRY_MS; !this.#isEnded; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
      if (await this.#read()) return;
      await new Promise((done) => setTimeout(done, wait));
    }
  }

  /** Whether there was an answer. */
  async #read(): Promise<boolean> {
    if (this.#isEnded) return true;
    try {
      this.#onChange(await this.#client.call("getOverlay"));
      return true;
    } catch (err) {
      const isRefused = err instanceof LivecoreError && [401, 403, 404].includes(err.status ?? 0);
      if (isRefused) this.#end();
      return isRefused;
    }
  }

  /** Broadcasting programs stop the timers of pages that aren't shown; sockets die meanwhile, without a word. */
  #wakeUp(): void {
    const slept = Date.now() - this.#ticked - TICK_MS;
    this.#ticked = Date.now();
    if (slept > SLEPT_MS) this.#reconnect();
  }

  #reconnect(): void {
    this.#live.drop();
    this.#live.retryNow();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#live.close();
    this.#onChange(null);
  }
}
