import { type ActorsDeps, createActors } from "../../../actors/actors.ts";
import type { RoomEvent } from "../../../actors/host/outbox.ts";
import { type Movement, post } from "../../../actors/points/ledger/post.ts";
import { newId } from "../../../base/ids.ts";
import { silentMeter } from "../../../base/metrics.ts";
import { createOutboxSweep } from "../../../jobs/host/outbox-relay/relay.ts";
import { createTimerSweeper } from "../../../jobs/host/timers/sweeper.ts";
import { type UserDoc, usersIn } from "../../../store/mongo/accounts/users.ts";
import { type StreamDoc, streamsIn } from "../../../store/mongo/channels/streams.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { type LogLine, recordingLog } from "../../support/recording-log.ts";
import { streamDoc } from "../../support/stream-doc.ts";
import { userDoc } from "../../support/user-doc.ts";

type PrivateEvent = { userId: string; type: string; data: Record<string, unknown> };

export type World = Awaited<ReturnType<typeof openWorld>>;

/**
 * Actors without rooms and sockets: what they publish is recorded, and their clock stands still until it is moved. On real
 * stores, in a database of their own.
 */
export async function openWorld() {
  const stores = await openOwnStores();
  const { mongo, redis } = stores;
  // In the far future: MongoDB's TTL index uses its own clock, and would remove documents that were stored in the past.
  const time = { now: Date.UTC(2126, 5, 1, 20) };
  const clock = { now: () => time.now };
  const lines: LogLine[] = [];
  const log = recordingLog(lines);

  const room: RoomEvent[] = [];
  const privateEvents: PrivateEvent[] = [];
  const deps: Omit<ActorsDeps, "meter"> = {
    mongo,
    redis,
    clock,
    log,
    publishRoom: async (event) => void room.push(event),
    publishUsers: async (type, recipients) =>
      void privateEvents.push(...recipients.map((one) => ({ ...one, type }))),
  };
  const actors = createActors({ ...deps, meter: silentMeter() });
  const others: { stop(): Promise<void> }[] = [];

  return {
    ...actors,
    stores,
    mongo,
    deps,
    lines,
    room,
    privateEvents,
    clock,
    sweeper: createTimerSweeper({ host: actors.host, mongo, clock, log }),
    relay: createOutboxSweep({ outbox: actors.outbox, ageMs: 1_000 }),

    /** Moves the clock and fires what is due by then. */
    async pass(ms: number) {
      time.now += ms;
      await this.sweeper.tick();
    },
    move: (ms: number) => {
      time.now += ms;
    },

    /** Another process on the same stores. */
    rival(change: Partial<ActorsDeps> = {}) {
      const rival = createActors({ ...deps, meter: silentMeter(), ...change });
      others.push(rival);
      return rival;
    },

    /** A channel: its owner and stream. */
    async stream(change: Partial<StreamDoc> = {}): Promise<StreamDoc> {
      const owner = await this.user();
      const stream = streamDoc({ userId: owner, ...change });
      await streamsIn(mongo.db).insert(stream);
      return stream;
    },

    async user(status: UserDoc["status"] = "active"): Promise<string> {
      const doc = userDoc({ status });
      await inTransaction(mongo.client, (session) => usersIn(mongo.db).insert(doc, session));
      return doc._id;
    },

    /** Users with that many points in the channel. */
    async viewers(stream: StreamDoc, count: number, balance: number): Promise<string[]> {
      const users = Array.from({ length: count }, newId);
      const at = new Date(time.now);
      const gifts = users.map((userId) => ({ ...gift(userId, stream, balance), at }));
      await inTransaction(mongo.client, (session) => post(mongo.db, gifts, session));
      return users;
    },

    give: (userId: string, stream: StreamDoc, delta: number) =>
      actors.points.earn(gift(userId, stream, delta)),

    /** Resolves when no work is in progress in any host. */
    async settled() {
      await actors.host.idle();
    },

    async close() {
      await Promise.all([actors.stop(), ...others.map((other) => other.stop())]);
      await stores.close();
    },
  };
}

const gift = (userId: string, stream: StreamDoc, delta: number): Movement => ({
  key: `gift:${newId()}`,
  userId,
  channelUserId: stream.userId,
  delta,
  reason: "presence",
  ref: null,
});
