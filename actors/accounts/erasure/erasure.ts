/**
 * Erases deleted accounts, by sweeps of the jobs workers. Each step is idempotent and is restarted after a crash:
 * 1. settling, at once: the broadcast, hosting and subscriptions end, at the payment platform too;
 * 2. after 30 days, unless the owner came back: the account gets the id that replaces it (`erasedAs`); from then on it can't be
 *    restored;
 * 3. its pictures are deleted, and rooms' logs up to its last message;
 * 4. each collection is erased in batches, as it declares (store/mongo/driver/personal.ts);
 * 5. its names are reserved and the account itself is deleted, in one transaction.
 * An account that fails is retried with exponential back-off, so that it doesn't hold up the others, and is counted in a
 * metric for operators.
 */
import type { Db } from "mongodb";
import { type Audit, OPERATOR } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { DAY_MS, HOUR_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import type { Meter } from "../../../base/metrics.ts";
import type { Rooms } from "../../../realtime/rooms/rooms.ts";
import { type UserDoc, usersIn } from "../../../store/mongo/accounts/users.ts";
import type { Streams } from "../../../store/mongo/channels/streams.ts";
import { chatHiddenIn } from "../../../store/mongo/chat/chat-hidden.ts";
import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { EraseRule } from "../../../store/mongo/driver/personal.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { snapshotsIn } from "../../../store/mongo/host/snapshots.ts";
import { timersIn } from "../../../store/mongo/host/timers.ts";
import { subscriptionsIn } from "../../../store/mongo/monetization/subscriptions.ts";
import { exponentialBackoff } from "../../host/exponential-backoff.ts";
import { USERNAME_RESERVATION_MS } from "../profile/usernames.ts";
import {
  changeOf,
  ERASED_IN_ORDER,
  type Erased,
  type ErasureStep,
  setsOf,
  whereIn,
} from "./erasure-steps.ts";
import { ACCOUNT_METRICS } from "./metrics.ts";

/** Accounts per sweep; more are left to the next one. */
const ACCOUNTS = 20;
/** Documents per statement. */
const BATCH = 500;
const SUBSCRIPTIONS = 200;
/** Attempts per actor that commits concurrently. */
const MAX_TRIES = 10;
/** How long a reconnecting client can resume from a room's log. */
const RESUME_WINDOW_MS = DAY_MS;
const backOffMs = exponentialBackoff(2_000, HOUR_MS);
/** Failures that resolve themselves when a store is unavailable or an actor is busy; about a minute's worth. */
const USUAL_FAILURES = 5;

type Deps = {
  mongo: Mongo;
  streams: Pick<Streams, "findByUser">;
  /** What other contexts forget of an account; each may be repeated. */
  broadcasts: { ownerBanned(streamId: string): Promise<unknown> };
  hosting: { unhost(userId: string): Promise<unknown> };
  subscriptions: { cancelForBan(id: string): Promise<unknown> };
  following: { forgetAll(userId: string): Promise<void> };
  clips: { forgetAll(userId: string): Promise<void> };
  clipLikes: { forgetAll(userId: string): Promise<void> };
  media: { forgetAll(userId: string): Promise<void> };
  rooms: { log: Pick<Rooms["log"], "forgetUpTo"> };
  pictures: { dropAll(userId: string): Promise<unknown> };
  audit: Audit;
  clock: Clock;
  log: Log;
  meter: Meter;
};

export type AccountErasure = ReturnType<typeof createAccountErasure>;

export function createAccountErasure(deps: Deps) {
  const { mongo, streams, broadcasts, hosting, subscriptions, following, rooms, pictures } = deps;
  const { audit, clock, log } = deps;
  const { stuck } = deps.meter.record(ACCOUNT_METRICS);
  const users = usersIn(mongo.db);
  const stored = subscriptionsIn(mongo.db);
  const snapshots = snapshotsIn(mongo.db);
  const timers = timersIn(mongo.db);
  const now = () => new Date(clock.now());

  async function settle({ _id: userId, deletion }: UserDoc): Promise<void> {
    const stream = await streams.findByUser(userId);
    if (stream) {
      await broadcasts.ownerBanned(stream._id);
      await hosting.unhost(userId);
    }
    const billed = await stored.billedAround(userId, SUBSCRIPTIONS);
    for (const id of billed) await subscriptions.cancelForBan(id);
    // There may be more: the next sweep continues.
    if (billed.length === SUBSCRIPTIONS || !deletion) return;
    await users.update(
      userId,
      { $set: { "deletion.isSettled": true, "deletion.dueAt": deletion.eraseAt, "deletion.failures": 0 } },
      // The owner may have restored and deleted the account again meanwhile; the new deletion isn't settled by this.
      { expected: { "deletion.isSettled": false, "deletion.requestedAt": deletion.requestedAt } },
    );
  }

  /** Null when the owner has restored the account meanwhile. */
  async function begin(user: UserDoc): Promise<Erased | null> {
    const { _id: userId, deletion, emailKey } = user;
    const erasedAs = deletion?.erasedAs ?? newId();
    const expected = {
      status: "deleted" as const,
      "deletion.erasedAs": deletion?.erasedAs ?? null,
      "deletion.requestedAt": deletion?.requestedAt ?? null,
    };
    const begun = await users.update(userId, { $set: { "deletion.erasedAs": erasedAs } }, { expected });
    if (!begun) return null;
    const [stream, names] = await Promise.all([streams.findByUser(userId), users.namesOf(userId)]);
    return {
      userId,
      erasedAs,
      emailKey,
      names: [...new Set([user.username, user.usernameTitle, ...names])],
      streamId: stream?._id ?? null,
    };
  }

  /** Deletes messages that a ban hid. They are hidden by their author's id, which is about to be removed. */
  async function deleteHidden(db: Db, { userId }: Erased): Promise<void> {
    const messages = chatMessagesIn(db);
    for await (const { streamId, upTo } of chatHiddenIn(db).ofUser(userId))
      await messages.deleteUpTo(streamId, userId, upTo, now());
  }

  /** Truncates rooms' logs, which have the name in each message. The archive, which is read where they end, will be erased. */
  async function eraseFromLogs(db: Db, { userId, names }: Erased): Promise<void> {
    const before = new Date(clock.now() - RESUME_WINDOW_MS);
    for await (const { streamId, last } of chatMessagesIn(db).lastNaming(userId, names, before))
      await rooms.log.forgetUpTo(streamId, last);
  }

  /** Erases from the actors what is erased from their documents; otherwise they would write it back. */
  async function eraseActors(actors: string[], rule: EraseRule, of: Erased): Promise<void> {
    const renamed = { from: of.userId, to: of.erasedAs, ...setsOf(rule) };
    for (const actor of actors) {
      for (let tries = 0; !(await snapshots.rename(actor, renamed)); tries++)
        if (tries === MAX_TRIES) throw new Error("an actor commits all the time");
    }
  }

  async function removeActors(actors: string[]): Promise<void> {
    await timers.removeOf(actors);
    await snapshots.remove(actors);
  }

  async function eraseFrom(
    db: Db,
    { collection, actor, field, rule }: ErasureStep,
    of: Erased,
  ): Promise<void> {
    const filter = whereIn(field, rule, of);
    if (filter === null) return;
    const docs = db.collection(collection);
    for (;;) {
      const found = await docs
        .find(filter, { projection: { _id: 1 } })
        .limit(BATCH)
        .toArray();
      // With the filter, since a document may have come to another account meanwhile: a push device, say.
      const batch = { $and: [{ _id: { $in: found.map(({ _id }) => _id) } }, filter] };
      if (found.length > 0) {
        const change = changeOf(field, rule, of);
        const actors = actor ? found.map(({ _id }) => `${actor}:${_id}`) : [];
        // The actors first, since they would write their documents back.
        if (change === null) {
          await removeActors(actors);
          await docs.deleteMany(batch);
        } else {
          await eraseActors(actors, rule, of);
          await docs.updateMany(batch, change);
          // An actor without a snapshot may have got its first one concurrently. Any later one is made from the erased document.
          await eraseActors(actors, rule, of);
        }
      }
      if (found.length < BATCH) return;
    }
  }

  /** A deleted reward has no document any more, but its actor still exists. */
  async function eraseDeletedRewards({ userId }: Erased): Promise<void> {
    for (;;) {
      const some = await snapshots.idsWhere("reward", "channelUserId", userId, BATCH);
      if (some.length > 0) await snapshots.remove(some);
      if (some.length < BATCH) return;
    }
  }

  async function finish({ userId, erasedAs }: Erased): Promise<void> {
    const until = new Date(clock.now() + USERNAME_RESERVATION_MS);
    await inTransaction(mongo.client, async (session) => {
      await users.reserveNames(userId, erasedAs, until, session);
      await users.remove(userId, session);
    });
    audit("account.erased", OPERATOR, { accountId: userId });
  }

  async function erase(db: Db, user: UserDoc): Promise<void> {
    const of = await begin(user);
    if (!of) return;
    await pictures.dropAll(of.userId);
    // Each updates the follower count of the followed channel.
    await following.forgetAll(of.userId);
    await deps.clipLikes.forgetAll(of.userId);
    // The media service is notified of each clip and recording.
    await deps.clips.forgetAll(of.userId);
    await deps.media.forgetAll(of.userId);
    await deleteHidden(db, of);
    await eraseFromLogs(db, of);
    for (const step of ERASED_IN_ORDER) await eraseFrom(db, step, of);
    await eraseDeletedRewards(of);
    await finish(of);
  }

  async function failed(
    { _id: userId, deletion }: UserDoc,
    what: "settled" | "erased",
    err: unknown,
  ): Promise<void> {
    const failures = (deletion?.failures ?? 0) + 1;
    const isStuck = failures > USUAL_FAILURES;
    const about = { err, userId, failures };
    log[isStuck ? "error" : "warn"](about, `a deleted account couldn't be ${what}; it is tried again`);
    if (isStuck) stuck(1, { step: what });
    const dueAt = new Date(clock.now() + backOffMs(failures - 1));
    const later = { $set: { "deletion.dueAt": dueAt, "deletion.failures": failures } };
    await users.update(userId, later, { expected: { "deletion.dueAt": deletion?.dueAt ?? null } });
  }

  async function each(what: "settled" | "erased", act: (user: UserDoc) => Promise<void>): Promise<void> {
    for (const user of await users.dueDeletions(what === "erased", now(), ACCOUNTS)) {
      try {
        await act(user);
      } catch (err) {
        await failed(user, what, err);
      }
    }
  }

  return {
    settle: (): Promise<void> => each("settled", settle),
    /** `db` must be of a maintenance connection: not every searched field has an index. */
    erase: (db: Db): Promise<void> => each("erased", (user) => erase(db, user)),
  };
}
