/**
 * Hosting: a channel shows another one. One at a time, until its owner ends it, goes live, or the target has been offline for
 * ten minutes. With a list for it, the end of a broadcast begins one by itself.
 */
import type { ClientSession } from "mongodb";
import type { Presence } from "../../realtime/rooms/presence.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { HostInfo } from "../../specs/contract/wire.ts";
import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import { blocksIn } from "../../store/mongo/blocks.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { countersIn } from "../../store/mongo/counters.ts";
import { type Hosted, type HostingChange, type HostingDoc, hostingIn } from "../../store/mongo/hosting.ts";
import type { StreamDoc, Streams } from "../../store/mongo/streams.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { retryingConflicts } from "../host/conflict.ts";
import type { Outbox } from "../host/outbox.ts";
import type { Identity } from "../identity/identity.ts";
import { hostInfo, hostingRows, hostingSource, hostStarted } from "./host-view.ts";

type Deps = {
  mongo: Mongo;
  streams: Streams;
  identity: Pick<Identity, "requireUser" | "requireByUsername" | "usersByIds">;
  presence: Pick<Presence, "count">;
  outbox: Pick<Outbox, "write" | "publish">;
  clock: Clock;
  log: Log;
};

const TARGET_GONE_MS = 10 * 60_000;
/** Of one sweep; more are left to the next. */
const BATCH = 100;
const TARGETS_AT_ONCE = 500;

export type Hosting = ReturnType<typeof createHosting>;

export function createHosting({ mongo, streams, identity, presence, outbox, clock, log }: Deps) {
  const hosting = hostingIn(mongo.db);
  const blocks = blocksIn(mongo.db);
  const counters = countersIn(mongo.db);

  type Write = (session: ClientSession) => Promise<HostingChange | null>;
  type Started = Parameters<typeof hostingRows>[1];

  async function commit(userId: string, write: Write, started: Started = null): Promise<void> {
    const change = await retryingConflicts(() =>
      inTransaction(mongo.client, async (session) => {
        const written = await write(session);
        if (written) await outbox.write(hostingRows(written, started), session);
        return written;
      }),
    );
    if (change) await outbox.publish(hostingSource(userId));
  }

  async function newHosted(target: StreamDoc, isAuto: boolean): Promise<Hosted> {
    const to = { targetId: target.userId, targetStreamId: target._id, targetGoneAt: null };
    return { id: await counters.take("hosting"), ...to, isAuto, startedAt: new Date(clock.now()) };
  }

  async function startedBy(userId: string, streamId: string, hosted: Hosted): Promise<Started> {
    const [users, viewers] = await Promise.all([
      identity.usersByIds([userId, hosted.targetId]),
      presence.count(streamId),
    ]);
    const [host, target] = [users.get(userId), users.get(hosted.targetId)];
    if (!host || !target) throw new ServiceError("not_found");
    return { targetStreamId: hosted.targetStreamId, data: hostStarted(hosted, { host, target, viewers }) };
  }

  async function requireStream(userId: string): Promise<StreamDoc> {
    const stream = await streams.findByUser(userId);
    if (!stream) throw new ServiceError("not_found");
    return stream;
  }

  async function infoOf(userId: string): Promise<HostInfo> {
    const doc = await hosting.find(userId);
    if (!doc?.hosted) throw new ServiceError("not_found");
    const target = await identity.requireUser(doc.hosted.targetId);
    return hostInfo(doc.hosted, target, await presence.count(doc.streamId));
  }

  /** The first of the list that is live and that no block keeps apart from its owner; null for none. */
  async function firstLive({ _id, autoHost }: HostingDoc): Promise<StreamDoc | null> {
    const [found, apart] = await Promise.all([
      streams.findByUsers(autoHost),
      blocks.eitherWay(_id, autoHost),
    ]);
    const live = new Map(found.filter(({ isLive }) => isLive).map((stream) => [stream.userId, stream]));
    const first = autoHost.find((id) => live.has(id) && !apart.has(id));
    return (first !== undefined && live.get(first)) || null;
  }

  async function tryAuto(due: HostingDoc): Promise<void> {
    const target = await firstLive(due);
    const hosted = target && (await newHosted(target, true));
    const started = hosted && (await startedBy(due._id, due.streamId, hosted));
    await commit(due._id, (session) => hosting.tryAuto(due, hosted, session), started);
  }

  /** Each by itself: one that fails is tried again by the next sweep, and keeps nobody up. */
  async function each(docs: HostingDoc[], work: (doc: HostingDoc) => Promise<void>): Promise<void> {
    for (const doc of docs)
      await work(doc).catch((err: unknown) =>
        log.warn({ err, userId: doc._id }, "hosting could not be changed"),
      );
  }

  async function noteTargets(now: Date): Promise<void> {
    for await (const ids of hosting.targets(TARGETS_AT_ONCE)) {
      const found = await streams.findMany(ids);
      const live = new Set(found.filter(({ isLive }) => isLive).map(({ _id }) => _id));
      await hosting.noteTargets({ live: [...live], gone: ids.filter((id) => !live.has(id)) }, now);
    }
  }

  return {
    /** The same target again changes nothing. Throws `self_target`, `not_found`, `target_offline`, `blocked`. */
    async host(userId: string, targetId: string): Promise<HostInfo> {
      if (userId === targetId) throw new ServiceError("self_target");
      await identity.requireUser(targetId);
      const [own, target] = await Promise.all([requireStream(userId), requireStream(targetId)]);
      if ((await blocks.eitherWay(userId, [targetId])).size > 0) throw new ServiceError("blocked");
      if (!target.isLive) throw new ServiceError("target_offline");
      if ((await hosting.find(userId))?.hosted?.targetId !== targetId) {
        const hosted = await newHosted(target, false);
        const started = await startedBy(userId, own._id, hosted);
        await commit(userId, (session) => hosting.start(userId, own._id, hosted, session), started);
      }
      return infoOf(userId);
    },

    /** Without a hosting nothing happens. */
    unhost: (userId: string) => commit(userId, (session) => hosting.end(userId, null, session)),

    /** Throws `not_found` for an unknown user, and for one who hosts nobody. */
    of: async (username: string) => infoOf((await identity.requireByUsername(username))._id),

    autoHostOf: async (userId: string): Promise<string[]> => (await hosting.find(userId))?.autoHost ?? [],

    /** Replaces the list. Throws `self_target`, `not_found` when one of them isn't there. */
    async setAutoHost(userId: string, userIds: string[]): Promise<void> {
      if (userIds.includes(userId)) throw new ServiceError("self_target");
      if ((await identity.usersByIds(userIds)).size < userIds.length) throw new ServiceError("not_found");
      await hosting.setAutoHost(userId, (await requireStream(userId))._id, userIds);
    },

    /** Begins what is due by itself, and ends what has lost its target for ten minutes. */
    async sweep(): Promise<void> {
      const now = new Date(clock.now());
      await each(await hosting.due(now, BATCH), tryAuto);
      await noteTargets(now);
      const lost = await hosting.goneSince(new Date(now.getTime() - TARGET_GONE_MS), BATCH);
      await each(lost, ({ _id, hosted }) =>
        commit(_id, async (session) => (hosted ? hosting.end(_id, hosted.id, session) : null)),
      );
    },
  };
}
