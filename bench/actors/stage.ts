import { type Actors, createActors } from "../../actors/actors.ts";
import { post } from "../../actors/points/ledger/post.ts";
import { processClock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import { silentMeter } from "../../base/metrics.ts";
import { openStores, type Stores } from "../../specs/support/stores.ts";
import { streamDoc } from "../../specs/support/stream-doc.ts";
import { type StreamDoc, streamsIn } from "../../store/mongo/channels/streams.ts";
import { inTransaction } from "../../store/mongo/driver/transaction.ts";
import type { PredictionDoc } from "../../store/mongo/points/predictions.ts";
import type { RewardDoc } from "../../store/mongo/points/rewards.ts";
import { migrate } from "../../store/mongo/schema/migrate.ts";

/** Says what went wrong and nothing else. */
const log: Log = {
  error: (...args: unknown[]) => console.error(...args),
  warn: (...args: unknown[]) => console.error(...args),
  info: () => undefined,
  debug: () => undefined,
  child: () => log,
};

const GIFTS_A_TRANSACTION = 1_000;

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** The actors on real stores, publishing to nobody: what a room costs is measured elsewhere. */
export async function openStage(database: string) {
  const stores: Stores = await openStores(database);
  const { mongo, redis } = stores;
  await migrate(mongo, { clock: processClock, log });
  const actors: Actors = createActors({
    mongo,
    redis,
    clock: processClock,
    log,
    meter: silentMeter(),
    publishRoom: () => Promise.resolve(),
    publishUsers: () => Promise.resolve(),
  });
  return {
    ...actors,
    mongo,
    clock: processClock,
    log,

    async stream(): Promise<StreamDoc> {
      const doc = streamDoc();
      await streamsIn(mongo.db).insert(doc);
      return doc;
    },

    /** That many users with `balance` points each in the channel. */
    async viewers(stream: StreamDoc, count: number, balance: number): Promise<string[]> {
      const users = Array.from({ length: count }, newId);
      for (let i = 0; i < users.length; i += GIFTS_A_TRANSACTION) {
        const gifts = users.slice(i, i + GIFTS_A_TRANSACTION).map((userId) => ({
          key: `gift:${newId()}`,
          userId,
          channelUserId: stream.userId,
          delta: balance,
          reason: "presence" as const,
          ref: null,
          at: new Date(),
        }));
        await inTransaction(mongo.client, (session) => post(mongo.db, gifts, session));
      }
      return users;
    },

    /** Accounts of these users, with what a redemption reads of them. */
    async accounts(users: string[]): Promise<void> {
      const named = users.map((_id) => ({
        _id,
        username: _id,
        usernameTitle: _id,
        imageUrl: null,
        emailKey: _id,
      }));
      await mongo.db.collection<{ _id: string }>("users").insertMany(named);
    },

    reward: (stream: StreamDoc): Promise<RewardDoc> =>
      actors.rewards.create({
        stream,
        offer: {
          title: "Name the boss",
          description: "Something short, please.",
          cost: 1,
          isEnabled: true,
          isPaused: false,
          requiresInput: false,
          skipQueue: false,
          cooldownSeconds: null,
          maxPerStream: 1_000_000,
          maxPerUserPerStream: 1_000_000,
        },
        by: stream.userId,
      }),

    prediction: (stream: StreamDoc): Promise<PredictionDoc> =>
      actors.predictions.open({
        stream,
        title: "Will it hold?",
        outcomes: [{ title: "Yes" }, { title: "No" }],
        durationSeconds: 1_800,
        by: stream.userId,
      }),

    async close({ drop = false } = {}) {
      await actors.stop();
      if (drop) await mongo.db.dropDatabase();
      await stores.close();
    },
  };
}
