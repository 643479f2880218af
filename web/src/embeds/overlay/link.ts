import { createClient, type LiveClient, type LivecoreClient, LivecoreError } from "@livecore/client";
import type { Member } from "../../site/connection.ts";
import { retryWait } from "../../site/retry-wait.ts";
import { tellTimeBy } from "../../site/service-clock.ts";
import type { Alert, ShownOverlay } from "./settings.ts";

const RETRY_MS = 2_000;
/** How often an open overlay reads its settings again, which also tells its owner that it is open. */
const SIGN_OF_LIFE_MS = 300_000;
/** Until it asks again for what was refused. */
const ASK_AGAIN_MS = 60_000;
const TICK_MS = 1_000;
/** A timer that is later than this has slept, and with it whatever was to notice a dead socket. */
const SLEPT_MS = 15_000;

/** What the service says of a token that has ended. */
const ENDING: readonly string[] = ["invalid_token", "account_banned"];
const isEnding = (err: unknown): boolean => err instanceof LivecoreError && ENDING.includes(err.code);

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
  readonly #onTests = new Set<(alert: Alert) => void>();
  #ticked = Date.now();
  #isEnded = false;
  /** How many rounds of reads there were: a new one takes over from the one before. */
  #reads = 0;

  constructor(token: string, onChange: (overlay: ShownOverlay | null) => void) {
    this.#onChange = onChange;
    this.#client = createClient({ baseUrl: serviceUrl(), auth: { mode: "token", token } });
    this.#live = this.#client.live({ onEnd: () => this.#end() });
    tellTimeBy(this.#live);
    this.#followOwn();
    setInterval(() => void this.#readUntilAnswered(), SIGN_OF_LIFE_MS);
    setInterval(() => this.#wakeUp(), TICK_MS);
    addEventListener("online", () => this.#reconnect());
    void this.#readUntilAnswered();
  }

  get live(): Pick<LiveClient, "subscribe"> {
    return this.#live;
  }

  /** As which parts of pages follow a room: by this socket, without an account. */
  get member(): Member {
    const live = this.#live;
    return { client: this.#reader, isUser: false, connect: () => ({ live, close: () => undefined }) };
  }

  /** Calls it with each test alert; returns a function that ends that. */
  onTest(handler: (alert: Alert) => void): () => void {
    this.#onTests.add(handler);
    return () => void this.#onTests.delete(handler);
  }

  /** Null without an answer. */
  async alerts() {
    try {
      return await this.#client.call("listOverlayAlerts");
    } catch (err) {
      if (isEnding(err)) this.#end();
      return null;
    }
  }

  /** What its owner's topic has about itself. */
  #followOwn(): void {
    const own = this.#live.subscribe("user");
    own.on("overlay.updated", ({ data: { id, stream_id, kind, settings } }) =>
      this.#onChange({ id, stream_id, kind, settings }),
    );
    own.on("overlay.tested", ({ data: { alert } }) => {
      for (const handler of this.#onTests) handler(alert);
    });
    own.on("subscribed", ({ data: { recovered } }) => {
      if (recovered !== true) void this.#readUntilAnswered();
    });
    // A worker of an older release, which knows no overlays, refuses it; soon there is none any more.
    own.onRefused = () => {
      setTimeout(() => {
        if (!this.#isEnded) this.#followOwn();
      }, ASK_AGAIN_MS);
    };
  }

  /** What is shown stays meanwhile: anything on the way may answer instead of the service, a worker of another release as well. */
  async #readUntilAnswered(): Promise<void> {
    this.#reads += 1;
    const own = this.#reads;
    for (let refusals = 0; own === this.#reads; refusals++) {
      if (await this.#read()) return;
      await new Promise((done) => setTimeout(done, retryWait(refusals, RETRY_MS)));
    }
  }

  /** Whether there was an answer, or the link has ended. */
  async #read(): Promise<boolean> {
    if (this.#isEnded) return true;
    try {
      const overlay = await this.#client.call("getOverlay");
      if (!this.#isEnded) this.#onChange(overlay);
      return true;
    } catch (err) {
      if (isEnding(err)) this.#end();
      return this.#isEnded;
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
