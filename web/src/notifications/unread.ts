import { effect, signal } from "@preact/signals";
import { client, userId } from "../site/session.ts";
import { followUser, whenMissed } from "../site/user-topic.ts";

/** How many notifications the user hasn't read. */
export const unread = signal(0);

/** Follows the count for as long as somebody is signed in: by the page's socket, and by asking at each of its beginnings. */
effect(() => {
  const id = userId.value;
  unread.value = 0;
  if (id === null) return;
  let isKnown = false;
  const count = (unreadCount: number): void => {
    isKnown = true;
    unread.value = unreadCount;
  };
  const ask = async (): Promise<void> => {
    const answer = await client.attempt("countUnreadNotifications").catch(() => null);
    if (answer?.ok && userId.peek() === id) count(answer.data.unread_count);
  };
  return followUser((topic) => [
    ...whenMissed(
      topic,
      () => void ask(),
      () => isKnown,
    ),
    topic.on("notification", ({ data }) => count(data.unread_count)),
    topic.on("notification.unread", ({ data }) => count(data.unread_count)),
  ]);
});
