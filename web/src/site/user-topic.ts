import type { Subscription } from "@livecore/client";
import { useEffect } from "preact/hooks";
import { member } from "./live.ts";
import { userId } from "./session.ts";

/** Adds handlers to the topic, and returns what removes them. */
type Listen = (topic: Subscription<"user">) => (() => void)[];

/** Calls `read` where the topic may have missed something, or where nothing is known so far. */
export const whenMissed = (
  topic: Subscription<"user">,
  read: () => void,
  isKnown: () => boolean = () => true,
): (() => void)[] => [
  topic.on("subscribed", ({ data }) => {
    if (data.recovered !== true || !isKnown()) read();
  }),
  topic.on("room.epoch", ({ data }) => {
    if (!data.continuous) read();
  }),
];

/** Follows what happens to the signed-in user, by the page's socket, until the returned function is called. */
export function followUser(listen: Listen): () => void {
  const link = member().connect();
  const removals = listen(link.live.subscribe("user"));
  return () => {
    for (const remove of removals) remove();
    link.close();
  };
}

/** `followUser` while the component is shown; nothing for strangers. `key`: changes with what `listen` depends on. */
export function useUserTopic(listen: Listen, key: string): void {
  const id = userId.value;
  useEffect(() => (id === null ? undefined : followUser(listen)), [id, key]);
}
