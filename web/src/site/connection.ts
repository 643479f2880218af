import type { LiveClient, LivecoreClient } from "@livecore/client";
import { tellTimeBy } from "./service-clock.ts";

/** A socket in use by a part of a page, which others may use as well. */
export type LiveLink = { live: Pick<LiveClient, "subscribe" | "say">; close(): void };

type LinkEvents = {
  /** The socket was lost; it reconnects by itself. */
  lost?(): void;
  /** The service doesn't accept this client any more. */
  end?(): void;
  /** The browser has lost or found its network. */
  offline?(isOffline: boolean): void;
};

export type Connect = (on?: LinkEvents) => LiveLink;

/** Whoever reads a page: a client, and how it connects. `isUser`: not as a reader without an account. */
export type Member = { client: LivecoreClient; isUser: boolean; connect: Connect };

/** A member with a socket of their own for each link. */
export const ownMember = (client: LivecoreClient, isUser: boolean): Member => ({
  client,
  isUser,
  connect(on = {}) {
    const live = client.live({ onLost: () => on.lost?.(), onEnd: () => on.end?.() });
    tellTimeBy(live);
    const unfollow = followNetwork(live, (isOffline) => on.offline?.(isOffline));
    return {
      live,
      close() {
        unfollow();
        live.close();
      },
    };
  },
});

/**
 * A browser hears of a lost network long before its sockets do: leaves the socket at once, and connects as soon as there is a
 * network again. Returns what ends it.
 */
export function followNetwork(live: LiveClient, onChange: (isOffline: boolean) => void): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  addEventListener(
    "offline",
    () => {
      onChange(true);
      live.drop();
    },
    { signal },
  );
  addEventListener(
    "online",
    () => {
      onChange(false);
      // One that is still opening may hang as well.
      live.drop();
      live.retryNow();
    },
    { signal },
  );
  return () => ended.abort();
}
