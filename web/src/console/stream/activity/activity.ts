import { useState } from "preact/hooks";
import { useNewestFirst } from "../../../site/newest-first.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { serverNow } from "../../../site/service-clock.ts";
import { useReadSoon } from "../../read-soon.ts";
import { useRoomTopic, whenRoomMissed } from "../../room-topic.ts";

export type Activity = Schemas["StreamActivity"];
export type ActivityKind = Schemas["StreamActivityKind"];
type Redemption = Schemas["Redemption"];

/** Whose activity: `userId` is the channel's owner. */
export type ActivityChannel = { streamId: string; userId: string };

/** What happened on a channel, and goes on happening. `kind` null: all of it. */
export function useActivity({ streamId, userId }: ActivityChannel, kind: ActivityKind | null) {
  const { change, ...list } = useNewestFirst(
    "listStreamActivity",
    { path: { stream_id: streamId }, query: kind === null ? {} : { kind } },
    ({ id }) => id,
  );
  const { again } = list.first;
  const readSoon = useReadSoon(again);
  /** The last one that came while the list was shown. */
  const [newest, setNewest] = useState<Activity | null>(null);

  const happened = (activity: Activity): void => {
    if (kind !== null && activity.kind !== kind) return;
    change((before) =>
      // A room's log may bring it again. Who hosts again has one entry.
      activity.kind !== "host" && before.some(({ id }) => id === activity.id)
        ? before
        : [activity, ...before],
    );
    setNewest(activity);
  };
  const paid = (about: {
    kind: "subscription" | "gift";
    payment_id?: string;
    user: Activity["user"];
    tier: Schemas["Tier"];
    receiver?: Activity["user"];
  }): void => {
    const { payment_id, ...rest } = about;
    // An event of an older release doesn't say which it is.
    if (payment_id === undefined) readSoon();
    else happened({ id: `${about.kind}:${payment_id}`, created_at: now(), ...rest });
  };
  const redemptionIs = (redemption: Redemption): void =>
    change((before) =>
      before.map((one) =>
        one.redemption?.id === redemption.id
          ? // The room's events don't have what the redeemer wrote.
            {
              ...one,
              redemption: { ...redemption, user_input: redemption.user_input ?? one.redemption.user_input },
            }
          : one,
      ),
    );

  useRoomTopic(
    streamId,
    (room) => [
      ...whenRoomMissed(room, again),
      room.on("channel.followed", ({ data: { user, followed_at } }) =>
        happened({ id: `follow:${user.id}`, kind: "follow", created_at: followed_at, user }),
      ),
      room.on("subscription.started", ({ data: { subscriber: user, ...rest } }) =>
        paid({ kind: "subscription", user, ...rest }),
      ),
      room.on("subscription.gifted", ({ data: { subscriber: receiver, gifted_by: user, ...rest } }) =>
        paid({ kind: "gift", user, receiver, ...rest }),
      ),
      room.on("tip.received", ({ data: { tip_id, from_user: user, ...rest } }) =>
        happened({ id: `tip:${tip_id}`, kind: "tip", created_at: now(), user, ...rest }),
      ),
      room.on("chat.message", ({ data: { act, content } }) => {
        if (act?.type !== "tip") return;
        const id = `tip:${act.id}`;
        change((before) => before.map((one) => (one.id === id ? { ...one, message: content } : one)));
      }),
      room.on("raid.incoming", ({ data: { raid, source_user: user } }) =>
        happened({
          id: `raid:${raid.id}`,
          kind: "raid",
          created_at: raid.started_at ?? now(),
          user,
          viewer_count: raid.viewer_count,
          message: raid.message ?? null,
        }),
      ),
      room.on("host.started", ({ data: { host_user: user, target_user, started_at } }) => {
        // A room hears also whom its own channel hosts.
        if (target_user.id === userId)
          happened({ id: `host:${user.id}`, kind: "host", created_at: started_at, user });
      }),
      room.on("redemption.created", ({ data: redemption }) => {
        const { id, created_at, redeemer: user, reward } = redemption;
        happened({ id: `redemption:${id}`, kind: "redemption", created_at, user, redemption });
        // The room isn't told what the redeemer wrote. One read is for all of a second.
        if (reward.requires_input && (kind === null || kind === "redemption")) readSoon();
      }),
      room.on("redemption.updated", ({ data }) => redemptionIs(data)),
    ],
    kind ?? "all",
  );

  return { ...list, newest, redemptionIs };
}

export type ActivityList = ReturnType<typeof useActivity>;

const now = (): string => new Date(serverNow()).toISOString();
