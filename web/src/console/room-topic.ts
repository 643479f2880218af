import type { Subscription } from "@livecore/client";
import { useEffect } from "preact/hooks";
import { member } from "../site/live.ts";
import { userId } from "../site/session.ts";

/** Adds handlers to the topic, and returns what removes them. */
type Listen = (topic: Subscription<`chat:${string}`>) => (() => void)[];

/** Follows a room by the page's socket while the component is shown. `listen` is called once for each room. */
export function useRoomTopic(streamId: string, listen: Listen): void {
  const id = userId.value;
  useEffect(() => {
    if (id === null) return;
    const link = member().connect();
    const removals = listen(link.live.subscribe(`chat:${streamId}`));
    return () => {
      for (const remove of removals) remove();
      link.close();
    };
  }, [id, streamId]);
}
