/**
 * What becomes of deleted accounts, by sweeps of the jobs workers; each step may be done twice and is begun again after a crash:
 * 1. settling, at once: the broadcast, hosting and subscriptions end, at the payment platform too;
 * 2. after 30 days, unless the owner came back: the account gets the id that stands for it (`erasedAs`), and from then on there is
 *    no way back; 3. its pictures go, and rooms' logs up to its last message; 4. each collection, by what it declares (store/mongo/personal.ts), in batches;
 * 5. its names are reserved and the account itself goes, in one transaction.
 * An account that fails is tried later and later, so that it holds up no other, and is counted for somebody to look.
 */
import type { Db } from "mongodb";
import type { Rooms } from "../../realtime/rooms/rooms.ts";
import { type Audit, OPERATOR } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import { growingPause } from "../../store/growing-pause.ts";
import { newId } from "../../store/ids.ts";
import type { Log } from "../../store/log.ts";
import type { Meter } from "../../store/metrics.ts";
import { chatHiddenIn } from "../../store/mongo/chat-hidden.ts";
import { chatMessagesIn } from "../../store/mongo/chat-messages.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import type { EraseRule } from "../../store/mongo/personal.ts";
import { snapshotsIn } from "../../store/mongo/snapshots.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import { subscriptionsIn } from "../../store/mongo/subscriptions.ts";
import { timersIn } from "../../store/mongo/timers.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { type UserDoc, usersIn } from "../../store/mongo/users.ts";
import type { Following } from "../channels/following.ts";
import type { Hosting } from "../channels/hosting.ts";
import type { ClipFeature } from "../clips/clips.ts";
import type { ClipLikes } from "../clips/likes.ts";
import { USERNAME_RESERVATION_MS } from "../identity/usernames.ts";
import type { Broadcasts } from "../live-stream/broadcasts.ts";
import type { Subscriptions } from "../subscription/subscriptions.ts";
import {
  changeOf,
  ERASED_IN_ORDER,
  type Erased,
  type ErasureStep,
  setsOf,
  whereIn,
} from "./erasure-steps.ts";
import { ACCOUNT_METRICS } from "./metrics.ts";
import type { Pictures } from "./pictures.ts";

/** Of one sweep; more are left to the next. */
const ACCOUNTS = 20;
/** Documents that one statement changes. */
const BATCH = 500;
const SUBSCRIPTIONS = 200;
/** Of one actor that commits meanwhile. */
const MOST_TRIES = 10;
/** For so long a client that comes back may go on where it was, by a room's log. */
const RESUMED_MS = 86_400_000;
const pauseAfter = growingPause(2_000, 3_600_000);
/** Failures that pass by themselves, when a store is away or an actor busy: about a minute of them. */
const USUAL_FAILURES = 5;

type Deps = {
  mongo: Mongo;
  streams: Pick<Streams, "findByUser">;
  broadcasts: Pick<Broadcasts, "ownerBanned">;
  hosting: Pick<Hosting, "unhost">;
  subscriptions: Pick<Subscriptions, "cancelForBan">;
  following: Pick<Following, "forgetAll">;
  clips: Pick<ClipFeature, "forgetAll">;
  clipLikes: Pick<ClipLikes, "forgetAll">;
  rooms: { log: Pick<Rooms["log"], "forgetUpTo"> };
  pictures: Pick<Pictures, "dropAll">;
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
    // More than one turn takes: the next sweep goes on.
    if (billed.length === SUBSCRIPTIONS || !deletion) return;
    await users.update(
      userId,
      { $set: { "deletion.isSettled": true, "deletion.dueAt": deletion.eraseAt, "deletion.failures": 0 } },
      // The owner may have come back meanwhile and deleted it again: that one isn't settled by this.
      { expected: { "deletion.isSettled": false, "deletion.requestedAt": deletion.requestedAt } },
    );
  }

  /** Null for an account whose owner has come back meanwhile. */
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
      ...{ userId, erasedAs, emailKey },
      names: [...new Set([user.username, user.usernameTitle, ...names])],
      streamId: stream?._id ?? null,
    };
  }

  /** What a ban has hidden: it was hidden by whose it is, and is nobody's soon. */
  async function deleteHidden(db: Db, { userId }: Erased): Promise<void> {
    const messages = chatMessagesIn(db);
    for await (const { streamId, upTo } of chatHiddenIn(db).ofUser(userId))
      await messages.deleteUpTo(streamId, userId, upTo, now());
  }

  /** Rooms' logs have the name with each message; the archive, which is read where they end, won't any more. */
  async function eraseFromLogs(db: Db, { userId, names }: Erased): Promise<void> {
    const before = new Date(clock.now() - RESUMED_MS);
    for await (const { streamId, last } of chatMessagesIn(db).lastNaming(userId, names, before))
      await rooms.log.forgetUpTo(streamId, last);
  }

  /** What goes from the document goes from its actor, which would write it again as it was. */
  async function eraseActors(actors: string[], rule: EraseRule, of: Erased): Promise<void> {
    const renamed = { from: of.userId, to: of.erasedAs, ...setsOf(rule) };
    for (const actor of actors) {
      for (let tries = 0; !(await snapshots.rename(actor, renamed)); tries++)
        if (tries === MOST_TRIES) throw new Error("an actor commits all the time");
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
      const some = { _id: { $in: found.map(({ _id }) => _id) } };
      if (found.length > 0) {
        const change = changeOf(field, rule, of);
        const actors = actor ? found.map(({ _id }) => `${actor}:${_id}`) : [];
        // First the actors, which would write their documents again as they were.
        if (change === null) {
          await removeActors(actors);
          await docs.deleteMany(some);
        } else {
          await eraseActors(actors, rule, of);
          await docs.updateMany({ $and: [some, filter] }, change);
          // One that had no snapshot yet may have got its first beside this; behind it, it goes by its row.
          await eraseActors(actors, rule, of);
        }
      }
      if (found.length < BATCH) return;
    }
  }

  /** A reward that was deleted has no document any more, but its actor is still there. */
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
    // Each changes the count of the one who is followed.
    await following.forgetAll(of.userId);
    await deps.clipLikes.forgetAll(of.userId);
    await deps.clips.forgetAll(of.userId);
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
    const dueAt = new Date(clock.now() + pauseAfter(failures - 1));
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
    /** `db` is of a connection for maintenance: not every field that is looked for has an index. */
    erase: (db: Db): Promise<void> => each("erased", (user) => erase(db, user)),
  };
}
