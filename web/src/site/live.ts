import { connectLive, type LiveClient, type Subscription, type Topic } from "@livecore/client";
import { signal } from "@preact/signals";
import { type Connect, followNetwork, type LiveLink, type Member } from "./connection.ts";
import { serviceUrl } from "./page-data.ts";
import { tellTimeBy } from "./service-clock.ts";
import { client, isKnown, userId } from "./session.ts";

/** How long the socket stays open without a part of the page that uses it: the next page may need it. */
const IDLE_MS = 10_000;

type Events = NonNullable<Parameters<Connect>[0]>;
type Shared = {
  live: LiveClient;
  links: Set<Events>;
  topics: Map<Topic, { followers: number; leave(): void }>;
  /** For whom it was opened; undefined until then. */
  userId: string | null | undefined;
  idle: ReturnType<typeof setTimeout> | undefined;
  end(): void;
};

/** Whether the page's socket is lost, or the browser has no network. */
export const isConnectionLost = signal(false);

let shared: Shared | null = null;

/** The whole page has one socket, however many of its parts follow something. A topic is left with its last follower. */
const connect: Connect = (on = {}) => {
  // One that was opened before the reader was known.
  if (shared?.userId !== undefined && shared.userId !== userId.peek()) shared.end();
  shared ??= open();
  const own = shared;
  clearTimeout(own.idle);
  own.links.add(on);
  const taken: Topic[] = [];
  const live: LiveLink["live"] = {
    say: (...args) => own.live.say(...args),
    subscribe<T extends Topic>(topic: T, ...rest: [after?: string]): Subscription<T> {
      const subscription = own.live.subscribe(topic, ...rest);
      const followers = (own.topics.get(topic)?.followers ?? 0) + 1;
      own.topics.set(topic, { followers, leave: () => subscription.leave() });
      taken.push(topic);
      return subscription;
    },
  };
  return {
    live,
    close() {
      own.links.delete(on);
      for (const topic of taken.splice(0)) leave(own, topic);
      if (own.links.size === 0) own.idle = setTimeout(() => own.end(), IDLE_MS);
    },
  };
};

function leave(own: Shared, topic: Topic): void {
  const known = own.topics.get(topic);
  if (!known) return;
  known.followers--;
  if (known.followers > 0) return;
  own.topics.delete(topic);
  known.leave();
}

function open(): Shared {
  const each = (call: (on: Events) => void): void => {
    for (const on of [...made.links]) call(on);
  };
  const live = connectLive({
    url: serviceUrl.replace(/^http/, "ws"),
    signal: client.identity,
    // Strangers have none, and cookies alone don't say who is one.
    ticket: async () => {
      await isKnown();
      made.userId = userId.peek();
      return made.userId === null ? null : client.ticket();
    },
    onLost: () => {
      isConnectionLost.value = true;
      each((on) => on.lost?.());
    },
    onEnd: () => {
      made.end();
      each((on) => on.end?.());
    },
    onFrame: (frame) => {
      // Anything else says why there is no socket.
      isConnectionLost.value = !Array.isArray(frame);
    },
  });
  tellTimeBy(live);
  const unfollow = followNetwork(live, (isOffline) => {
    // Until the first frame, which may be long after the network is back.
    if (isOffline) isConnectionLost.value = true;
    each((on) => on.offline?.(isOffline));
  });
  const made: Shared = {
    live,
    links: new Set(),
    topics: new Map(),
    userId: undefined,
    idle: undefined,
    end() {
      if (shared === made) {
        shared = null;
        isConnectionLost.value = false;
      }
      clearTimeout(made.idle);
      unfollow();
      live.close();
    },
  };
  return made;
}

/** Whoever looks at the page now. */
export const member = (): Member => ({ client, isUser: userId.value !== null, connect });
