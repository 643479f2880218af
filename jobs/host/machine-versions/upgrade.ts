import type { AnyDefinition } from "../../../actors/host/definition.ts";
import type { Host } from "../../../actors/host/host.ts";
import { isFinal, isOutdated } from "../../../actors/host/rearm.ts";
import { restore, UnreadableSnapshot } from "../../../actors/host/snapshot-codec.ts";
import type { Clock } from "../../../base/clock.ts";
import { DAY_MS, MINUTE_MS } from "../../../base/durations.ts";
import { isMongoUnavailable } from "../../../base/failures/mongo.ts";
import type { Log } from "../../../base/log.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { jobCursorsIn } from "../../../store/mongo/driver/job-cursors.ts";
import { type SnapshotDoc, snapshotsIn } from "../../../store/mongo/host/snapshots.ts";
import { keys } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { createLease } from "../../tasks/lease.ts";
import { repeat } from "../../tasks/repeat.ts";

/** Snapshots per read. */
const PAGE = 1_000;
/** Actors upgraded concurrently: they share transactions. */
const CONCURRENCY = 64;
const REPEAT_MS = MINUTE_MS;
const HOLD_OFF_MS = 10 * MINUTE_MS;
/**
 * Workers of an older release may go on storing snapshots of its version beside the newer ones; the last walk is this much
 * later.
 */
const LAST_WALK_MS = DAY_MS;

/** One machine's walk through its snapshots; stored, so that the next process resumes it. */
type Progress = {
  version: number;
  /** When the first walk of this version began, ms. */
  since: number;
  after: string;
  upgraded: number;
  /** When the next walk begins, ms; null = there is none. */
  nextAt: number | null;
};

type Deps = {
  host: Pick<Host, "upgrade">;
  machines: readonly AnyDefinition[];
  mongo: Mongo;
  redis: RedisConnection;
  clock: Clock;
  log: Log;
  page?: number;
};

/**
 * Upgrades idle actors to the version of their machine in this code: what the new version requires of actors that are
 * already in a state, a timer above all, would otherwise never happen. After a version was raised it walks through all
 * snapshots of the machine by their ids, again until a walk finds none, and once more a day later. Actors that are over
 * stay as they are. One worker at a time holds the lease; correctness doesn't depend on it, since a commit replaces exactly
 * the version that it was decided on.
 */
export function createUpgrades({ host, machines, mongo, redis, clock, log, page = PAGE }: Deps) {
  const snapshots = snapshotsIn(mongo.db);
  const lease = createLease(keys.upgradeLease);

  async function upgrade(definition: AnyDefinition, { _id }: Pick<SnapshotDoc, "_id">): Promise<boolean> {
    const doc = await snapshots.find(_id);
    if (!doc || needsNoUpgrade(definition, doc)) return false;
    try {
      await host.upgrade(definition.name, _id.slice(definition.name.length + 1));
      return true;
    } catch (err) {
      if (err instanceof ServiceError || isMongoUnavailable(err)) throw err;
      // The host has logged it; the other actors go on.
      log.debug({ err, actor: _id }, "an actor could not be brought up to date");
      return false;
    }
  }

  async function upgradeAll(definition: AnyDefinition, docs: Pick<SnapshotDoc, "_id">[]): Promise<number> {
    let upgraded = 0;
    for (let i = 0; i < docs.length && (await lease.hold(redis)); i += CONCURRENCY) {
      // With allSettled nothing is still running when this throws.
      const done = await Promise.allSettled(
        docs.slice(i, i + CONCURRENCY).map((doc) => upgrade(definition, doc)),
      );
      for (const one of done) {
        if (one.status === "rejected") throw one.reason;
        if (one.value) upgraded++;
      }
    }
    return upgraded;
  }

  /** Continues the walk through the snapshots of one machine; returns how many it upgraded. */
  async function walk(definition: AnyDefinition): Promise<number> {
    const { name, version } = definition;
    const cursor = jobCursorsIn<Progress>(mongo.db, `machine-versions:${name}`);
    const found = await cursor.find();
    // A newer release is upgrading, or everything is done.
    if (found && (found.version > version || (found.version === version && found.nextAt === null))) return 0;
    const now = clock.now();
    const fresh: Progress = { version, since: now, after: "", upgraded: 0, nextAt: now };
    let progress = found?.version === version ? found : fresh;
    if (progress.nextAt !== null && progress.nextAt > now) return 0;
    let all = 0;
    while (await lease.hold(redis)) {
      const docs = await snapshots.versionsAfter(name, progress.after, page);
      const upgraded = await upgradeAll(
        definition,
        docs.filter((doc) => isOutdated(doc, version)),
      );
      // Another worker continues this walk: don't overwrite its progress.
      if (!lease.isSure()) return all;
      all += upgraded;
      progress = {
        ...progress,
        after: docs.at(-1)?._id ?? progress.after,
        upgraded: progress.upgraded + upgraded,
      };
      const isOver = docs.length < page;
      await cursor.keep(isOver ? walked(progress, clock.now()) : progress, new Date(clock.now()));
      if (isOver) return all;
    }
    return all;
  }

  return {
    /** Walks the machines that need it; returns how many actors it upgraded. */
    async tick(): Promise<number> {
      let upgraded = 0;
      try {
        for (const definition of machines) {
          // A first version has nothing older.
          if (definition.version > 1) upgraded += await walk(definition);
        }
      } finally {
        if (lease.isSure()) await lease.release(redis);
      }
      if (upgraded > 0) log.info({ upgraded }, "actors were brought up to the version of their machine");
      return upgraded;
    },
  };
}

function needsNoUpgrade(definition: AnyDefinition, doc: SnapshotDoc): boolean {
  if (!isOutdated(doc, definition.version)) return true;
  try {
    return isFinal(definition.machine, restore(definition, doc));
  } catch (err) {
    // The host parks it.
    if (err instanceof UnreadableSnapshot) return false;
    throw err;
  }
}

/** The progress at the end of a walk, with the time of the next one. */
function walked(progress: Progress, now: number): Progress {
  const { upgraded, since } = progress;
  const lastAt = since + LAST_WALK_MS;
  const nextAt = upgraded > 0 ? now + REPEAT_MS : now < lastAt ? lastAt : null;
  return { ...progress, after: "", upgraded: 0, nextAt };
}

/**
 * Checks every `intervalMs` (a minute) until stopped, from `holdOffMs` (ten minutes) after the start on: in that time older
 * workers elsewhere, which can't read upgraded snapshots, are replaced.
 */
export function startUpgrades(deps: Deps & { intervalMs?: number; holdOffMs?: number }) {
  const { intervalMs = REPEAT_MS, holdOffMs = HOLD_OFF_MS } = deps;
  const { tick } = createUpgrades(deps);
  const from = performance.now() + holdOffMs;
  const work = async () => (performance.now() < from ? 0 : tick());
  return repeat("machine-versions", work, { ...deps, intervalMs });
}
