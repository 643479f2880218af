import { useRef, useState } from "preact/hooks";
import { useNewestFirst } from "../site/newest-first.ts";
import { problemOf } from "../site/problems.ts";
import { client } from "../site/session.ts";
import { say } from "../site/toasts.ts";
import { useUserTopic, whenMissed } from "../site/user-topic.ts";
import type { Notification } from "./said.ts";

type Ids = ReadonlySet<number>;
/** What was done here: shown at once, and also over what was read before it was done. */
type Done = { read: Ids; removed: Ids };

const idOf = ({ id }: Notification): number => id;
const NOTHING: Done = { read: new Set(), removed: new Set() };

/** The user's notifications, as they come, and what one does with them. What is refused is said and taken back. */
export function useNotifications() {
  const { change, items, ...list } = useNewestFirst("listNotifications", {}, idOf);
  const [done, setDone] = useState(NOTHING);
  const { again, data } = list.first;
  const isKnown = useRef(false);
  isKnown.current = data !== undefined;
  useUserTopic(
    (topic) => [
      ...whenMissed(topic, again, () => isKnown.current),
      topic.on("notification", ({ data }) => change((before) => [data.notification, ...before])),
      // It doesn't say which were read or deleted, here or elsewhere.
      topic.on("notification.unread", again),
    ],
    "notifications",
  );
  async function act(
    kind: keyof Done,
    ids: readonly number[],
    work: () => Promise<unknown>,
  ): Promise<boolean> {
    setDone((before) => ({ ...before, [kind]: new Set([...before[kind], ...ids]) }));
    try {
      await work();
      return true;
    } catch (err) {
      say(problemOf(err), { isProblem: true });
      setDone((before) => ({
        ...before,
        [kind]: new Set([...before[kind]].filter((id) => !ids.includes(id))),
      }));
      return false;
    }
  }
  return {
    ...list,
    items: items
      .filter(({ id }) => !done.removed.has(id))
      .map((one) => (done.read.has(one.id) ? { ...one, is_read: true } : one)),
    read: ({ id }: Notification) =>
      act("read", [id], () => client.call("readNotification", { path: { notification_id: id } })),
    readAll: () => act("read", items.map(idOf), () => client.call("readAllNotifications")),
    remove: ({ id }: Notification) =>
      act("removed", [id], () => client.call("deleteNotification", { path: { notification_id: id } })),
  };
}

export type NotificationList = ReturnType<typeof useNotifications>;
