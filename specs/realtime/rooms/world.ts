import { newId } from "../../../base/ids.ts";
import { createRooms } from "../../../realtime/rooms/rooms.ts";
import type { SendOutcome } from "../../../realtime/rooms/types.ts";
import type { FollowDoc } from "../../../store/mongo/channels/follows.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { type ChatModesDoc, defaultChatModes } from "../../../store/mongo/host/chat-modes.ts";
import { specCore } from "../../support/core.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { streamDoc } from "../../support/stream-doc.ts";

export const quiet = quietLog();

export type Talker = { userId: string; username: string };

let made = 0;

export function talker(): Talker {
  return { userId: newId(), username: `talker${++made}` };
}

/** The source of a user event that is published once. */
export const once = () => ({ ref: newId(), version: 1, n: 0 });

/** The domain without ports and jobs, for specs of rooms; on the real stores, with a clock that specs move. */
export async function openRoomsWorld(options: { stores?: Stores; clock?: "moved" | "real" } = {}) {
  const stores = options.stores ?? (await openStores());
  let now = Date.now();
  const clock = { now: () => now };
  const moved = options.clock === "real" ? {} : { clock };
  const { redis } = stores;
  const { db } = stores.mongo;
  const core = specCore(stores, moved);
  const { streams, grantedRoles, chatBans, follows, rooms, presence, control, userEvents } = core;
  let acts = 0;

  return {
    core,
    /** Of another worker on the same stores, with parts of its own where a spec wants them. Its opener closes it. */
    otherRooms: (own: Partial<Parameters<typeof createRooms>[0]> = {}) =>
      createRooms({
        redis,
        mongo: db,
        streams,
        grantedRoles,
        chatBans,
        follows,
        log: quiet,
        ...moved,
        ...own,
      }),
    stores,
    redis,
    db,
    streams,
    grantedRoles,
    chatBans,
    follow: (doc: Omit<FollowDoc, "_id">) =>
      inTransaction(stores.mongo.client, (session) =>
        follows.change(doc.followingId, [{ follows: doc }], doc.createdAt, session),
      ),
    unfollow: (followerId: string, followingId: string) =>
      inTransaction(stores.mongo.client, (session) =>
        follows.change(followingId, [{ unfollows: followerId }], new Date(), session),
      ),
    follows,
    rooms,
    presence,
    control,
    userEvents,
    clock,
    advance: (ms: number) => {
      now += ms;
    },
    async channel(modes: Partial<ChatModesDoc> = {}): Promise<StreamDoc> {
      const stream = streamDoc({ modes: { ...defaultChatModes, ...modes } });
      await streams.insert(stream);
      return stream;
    },
    /** As moderation publishes to a room: newer with each call. */
    act: (
      streamId: string,
      type: string,
      data: object,
      effects: Parameters<typeof rooms.publish>[0]["effects"] = [],
    ) =>
      rooms.publish({
        streamId,
        type,
        data,
        effects,
        actor: { ref: `moderation:${streamId}`, version: ++acts, n: 0 },
      }),
    async say(stream: StreamDoc, sender: Talker, content: string, more: { nonce?: string } = {}) {
      const outcome = await rooms.send({ streamId: stream._id, sender, content, ...more });
      if (!outcome.ok) throw new Error(`refused: ${outcome.code}`);
      return outcome;
    },
    async close(): Promise<void> {
      await core.stop();
      await stores.close();
    },
  };
}

export type RoomsWorld = Awaited<ReturnType<typeof openRoomsWorld>>;

export function codeOf(outcome: SendOutcome): string {
  return outcome.ok ? "admitted" : outcome.code;
}
