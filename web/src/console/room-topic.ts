import type { Subscription } from "@livecore/client";
import { useEffect } from "preact/hooks";
import { member } from "../site/live.ts";
import { userId } from "../site/session.ts";

/** Adds handlers to the topic, and returns what removes them. */
type Listen = (
  room: Subscription<`chat:${string}`>,
  /** Subscribes to that topic as well. */
  viewers: () => Subscription<`viewers:${string}`>,
) => (() => void)[];

/** Calls `read` where events may be missing: some of a room's are in no log, so that none come again after the socket was lost. */
export const whenRoomMissed = (room: Subscription<`chat:${string}`>, read: () => void): (() => void)[] => [
  room.on("subscribed", read),
  room.on("room.epoch", ({ data }) => {
    if (!data.continuous) read();
  }),
];

/**
 * Follows a room by the page's socket while the component is shown. `listen` is called once for each room and `key`, which changes with
 * what `listen` depends on.
 */
export function useRoomTopic(streamId: string, listen: Listen, key = ""): void {
  const id = userId.value;
  useEffect(() => {
    if (id === null) return;
    const link = member().connect();
    const removals = listen(link.live.subscribe(`chat:${streamId}`), () =>
      link.live.subscribe(`viewers:${streamId}`),
    );
    return () => {
      for (const remove of removals) remove();
      link.close();
    };
  }, [id, streamId, key]);
}
