/**
 * Hosting: a channel shows another one, one at a time, until its owner ends it or goes live, or the target has been offline
 * for ten minutes. With an auto-host list, the end of a broadcast starts hosting automatically.
 */
import type { ClientSession } from "mongodb";
import { MINUTE_MS } from "../../base/durations.ts";
import { type Refusal, ServiceError } from "../../contract/errors.ts";
import type { HostInfo } from "../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../store/mongo/channels/blocks.ts";
import {
  type Hosted,
  type HostingChange,
  type HostingDoc,
  hostingIn,
  newHosted,
} from "../../store/mongo/channels/hosting.ts";
import type { StreamDoc } from "../../store/mongo/channels/streams.ts";
import { countersIn } from "../../store/mongo/driver/counters.ts";
import { inRetriedTransaction } from "../../store/mongo/driver/retried-transaction.ts";
import type { FeatureDeps } from "../features/deps.ts";
import { refusalByBan } from "./bans.ts";
import { requireNoBlockBetween } from "./block-rules.ts";
import { type HostStarted, hostInfo, hostingRows, hostingSource, hostStarted } from "./host-view.ts";

const TARGET_OFFLINE_MS = 10 * MINUTE_MS;
/** Auto-hosts that have been due for longer are dropped. */
const MAX_AUTO_DELAY_MS = 5 * MINUTE_MS;
const RETRY_AFTER_MS = 30_000;
/** Documents per batch; a sweep handles at most MAX_BATCHES of them, the rest is left to the next one. */
const BATCH = 100;
const MAX_BATCHES = 50;
const TARGETS_AT_ONCE = 500;

export type Hosting = ReturnType<typeof createHosting>;

export function createHosting({
  mongo,
  streams,
  directory,
  chatBans,
  presence,
  outbox,
  clock,
  log,
}: FeatureDeps) {
  const hosting = hostingIn(mongo.db);
  const blocks = blocksIn(mongo.db);
  const counters = countersIn(mongo.db);

  type Write = (session: ClientSession) => Promise<HostingChange | null>;

  /** Throws what `write` throws. */
  async function commit(userId: string, write: Write, started: HostStarted | null = null): Promise<void> {
    const change = await inRetriedTransaction(mongo.client, async (session) => {
      const written = await write(session);
      if (written) await outbox.write(hostingRows(written, started), session);
      return written;
    });
    if (change) await outbox.publish(hostingSource(userId));
  }

  const hostedNow = async (target: StreamDoc, isAuto: boolean): Promise<Hosted> =>
    newHosted(await counters.take("hosting"), target, { isAuto, at: new Date(clock.now()) });

  /** The count is only for display: while Redis is unavailable it is 0, so that hosting still works. */
  const viewersOf = (streamId: string): Promise<number> =>
    presence.count(streamId).catch((err: unknown) => {
      if (err instanceof ServiceError && err.code === "unavailable") return 0;
      throw err;
    });

  async function startedBy(userId: string, streamId: string, hosted: Hosted): Promise<HostStarted> {
    const [users, viewers] = await Promise.all([
      directory.usersByIds([userId, hosted.targetId]),
      viewersOf(streamId),
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

  /** Users who may not write in a room may not announce hosting there either. */
  const banIn = async (streamId: string, userId: string, session?: ClientSession): Promise<Refusal | null> =>
    refusalByBan(await chatBans.banOf(streamId, userId, session), new Date(clock.now()));

  async function requireWelcome(streamId: string, userId: string): Promise<void> {
    const refusal = await banIn(streamId, userId);
    if (refusal) throw ServiceError.of(refusal);
  }

  /** Throws `not_found`. */
  async function requireActive(userId: string): Promise<UserWithoutSecrets> {
    const user = await directory.requireUser(userId);
    if (user.status !== "active") throw new ServiceError("not_found");
    return user;
  }

  /** Null for a user who hosts nobody, or an account that isn't active any more. */
  async function findInfo(userId: string): Promise<HostInfo | null> {
    const doc = await hosting.find(userId);
    if (!doc?.hosted) return null;
    const target = (await directory.usersByIds([doc.hosted.targetId])).get(doc.hosted.targetId);
    if (target?.status !== "active") return null;
    return hostInfo(doc.hosted, target, await viewersOf(doc.streamId));
  }

  async function infoOf(userId: string): Promise<HostInfo> {
    const info = await findInfo(userId);
    if (!info) throw new ServiceError("not_found");
    return info;
  }

  /** The first live channel of the list without a block in either direction, and where the user isn't banned; null for none. */
  async function firstLive({ _id, autoHost }: HostingDoc): Promise<StreamDoc | null> {
    const [found, blocked] = await Promise.all([
      streams.findByUsers(autoHost),
      blocks.eitherWay(_id, autoHost),
    ]);
    const live = new Map(found.filter(({ isLive }) => isLive).map((stream) => [stream.userId, stream]));
    for (const id of autoHost) {
      const stream = live.get(id);
      if (stream && !blocked.has(id) && !(await banIn(stream._id, _id))) return stream;
    }
    return null;
  }

  /** Starts a due auto-host, or drops it when it is overdue for too long: its owner is somewhere else by now. */
  async function tryAuto(due: HostingDoc): Promise<void> {
    const isLate = clock.now() - (due.autoDueAt?.getTime() ?? 0) > MAX_AUTO_DELAY_MS;
    const target = isLate ? null : await firstLive(due);
    const hosted = target && (await hostedNow(target, true));
    const started = hosted && (await startedBy(due._id, due.streamId, hosted));
    const write: Write = async (session) => {
      // If there is a block or a ban meanwhile, the list is tried again and yields another channel.
      if (hosted && !(await blocks.lockIfNeitherBlocks(due._id, hosted.targetId, session))) return null;
      if (hosted && (await banIn(hosted.targetStreamId, due._id, session))) return null;
      return hosting.tryAuto(due, hosted, session);
    };
    await commit(due._id, write, started);
  }

  /** Handles each document that `read` finds; stops when a whole batch failed, since it would be found again. */
  async function handleAll(
    read: (limit: number) => Promise<HostingDoc[]>,
    handle: (doc: HostingDoc) => Promise<void>,
    onFailure?: (doc: HostingDoc) => Promise<void>,
  ): Promise<void> {
    for (let batches = 0; batches < MAX_BATCHES; batches++) {
      const docs = await read(BATCH);
      let failures = 0;
      for (const doc of docs) {
        await handle(doc).catch(async (err: unknown) => {
          failures++;
          log.warn({ err, userId: doc._id }, "hosting could not be changed");
          await onFailure?.(doc);
        });
      }
      if (docs.length < BATCH || failures === docs.length) return;
    }
  }

  async function noteTargets(now: Date): Promise<void> {
    for await (const ids of hosting.targets(TARGETS_AT_ONCE)) {
      const found = await streams.findMany(ids);
      const live = new Set(found.filter(({ isLive }) => isLive).map(({ _id }) => _id));
      await hosting.noteTargets({ live: [...live], offline: ids.filter((id) => !live.has(id)) }, now);
    }
  }

  return {
    /**
     * Idempotent per target, also while the target is offline. Throws `self_target`, `not_found`, `target_offline`, `blocked`,
     * `banned`, `timed_out`.
     */
    async host(userId: string, targetId: string): Promise<HostInfo> {
      if (userId === targetId) throw new ServiceError("self_target");
      await requireActive(targetId);
      const [own, target] = await Promise.all([requireStream(userId), requireStream(targetId)]);
      // Checked first for the order of refusals, and for users who already host the target; checked again in the transaction.
      await requireNoBlockBetween(blocks, userId, targetId);
      await requireWelcome(target._id, userId);
      const isHosted = (await hosting.find(userId))?.hosted?.targetId === targetId;
      if (!isHosted) {
        if (!target.isLive) throw new ServiceError("target_offline");
        const hosted = await hostedNow(target, false);
        const started = await startedBy(userId, own._id, hosted);
        const write: Write = async (session) => {
          if (!(await blocks.lockIfNeitherBlocks(userId, targetId, session)))
            throw new ServiceError("blocked");
          return hosting.start(userId, own._id, hosted, session);
        };
        await commit(userId, write, started);
      }
      return infoOf(userId);
    },

    /** Does nothing when the user hosts nobody. */
    unhost: (userId: string) => commit(userId, (session) => hosting.end(userId, {}, session)),

    /** Throws `not_found` for a user who hosts nobody. */
    of: infoOf,

    /** Whom the stream's channel hosts, for those who subscribe to its room. */
    async roomState(streamId: string): Promise<{ hosting: HostInfo | null }> {
      const stream = await streams.find(streamId);
      return { hosting: stream && (await findInfo(stream.userId)) };
    },

    autoHostOf: async (userId: string): Promise<string[]> => (await hosting.find(userId))?.autoHost ?? [],

    /** Replaces the list. Throws `self_target`, and `not_found` for a user who isn't there. */
    async setAutoHost(userId: string, userIds: string[]): Promise<void> {
      if (userIds.includes(userId)) throw new ServiceError("self_target");
      const [users, before] = await Promise.all([directory.usersByIds(userIds), hosting.find(userId)]);
      // A list that was valid stays so: who is banned or deleted later can only not be added, like an unknown id.
      const listed = new Set(before?.autoHost);
      const isTaken = (id: string) => listed.has(id) || users.get(id)?.status === "active";
      if (!userIds.every(isTaken)) throw new ServiceError("not_found");
      await hosting.setAutoHost(userId, (await requireStream(userId))._id, userIds);
    },

    /** Starts due auto-hosts, and ends hostings whose target has been offline for ten minutes. */
    async sweep(): Promise<void> {
      const now = new Date(clock.now());
      const later = new Date(now.getTime() + RETRY_AFTER_MS);
      await handleAll(
        (limit) => hosting.due(now, limit),
        tryAuto,
        ({ _id }) => hosting.postpone(_id, later),
      );
      await noteTargets(now);
      const offlineSince = new Date(now.getTime() - TARGET_OFFLINE_MS);
      await handleAll(
        (limit) => hosting.targetOfflineSince(offlineSince, limit),
        ({ _id, hosted }) =>
          commit(_id, async (session) => (hosted ? hosting.end(_id, hosted, session) : null)),
      );
    },
  };
}
