import type { Subscription } from "@livecore/client";
import { useEffect } from "preact/hooks";
import { member } from "../../site/live.ts";

type Room = Subscription<`chat:${string}`>;
type Viewers = Subscription<`viewers:${string}`>;

/** Follows a channel's room by the page's socket while the component is shown. `key`: changes with what `listen` depends on. */
export function useRoom(
  streamId: string,
  key: string,
  listen: (room: Room, viewers: Viewers) => (() => void)[],
): void {
  useEffect(() => {
    const link = member().connect();
    const removals = listen(
      link.live.subscribe(`chat:${streamId}`),
      link.live.subscribe(`viewers:${streamId}`),
    );
    return () => {
      for (const remove of removals) remove();
      link.close();
    };
  }, [streamId, key]);
}

/**
 * Calls `read` where events may be missing: some of a room's, as follows, are in no log, so that none come again after the socket was
 * lost.
 */
export const whenRoomMissed = (room: Room, read: () => void): (() => void)[] => [
  room.on("subscribed", read),
  room.on("room.epoch", ({ data }) => {
    if (!data.continuous) read();
  }),
];
