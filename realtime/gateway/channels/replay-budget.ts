import { addressKey } from "../../../base/addresses.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import type { Log } from "../../../base/log.ts";
import { rateLimited, type ServiceError } from "../../../contract/errors.ts";
import { keys, type Owner } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { spend } from "../../../store/redis/scripts/spend.ts";
import type { Connection } from "../socket/connection.ts";
import type { GatewayLimits } from "../socket/limits.ts";

const WINDOW_MS = MINUTE_MS;
/**
 * Smaller amounts aren't reported to the other workers unless they use up the budget, so that many clients that missed
 * little cost no call.
 */
const REPORTED_FROM_BYTES = 128 * 1024;
const MAX_OWNERS = 20_000;

/** Bytes of this window: those of all workers as far as they were reported, and this worker's that weren't yet. */
type Spent = {
  limit: number;
  reported: number;
  unreported: number;
  endsAt: number;
  reporting: Promise<void> | null;
};

export type ReplayBudget = ReturnType<typeof createReplayBudget>;

/**
 * Limits what replays send to one address, and to one user, per minute, over all workers: a room's log is long, and a
 * client that requests all of it again and again would keep a worker busy. While Redis is unavailable each worker counts
 * alone.
 */
export function createReplayBudget(deps: { redis: RedisConnection; limits: GatewayLimits; log: Log }) {
  const { redis, limits, log } = deps;
  const spent = new Map<Owner, Spent>();

  function of(owner: Owner, limit: number): Spent {
    const known = spent.get(owner);
    if (known && known.endsAt > performance.now()) return known;
    spent.delete(owner);
    const [oldest] = spent.keys();
    if (spent.size >= MAX_OWNERS && oldest !== undefined) spent.delete(oldest);
    const endsAt = performance.now() + WINDOW_MS;
    const fresh: Spent = { limit, reported: 0, unreported: 0, endsAt, reporting: null };
    spent.set(owner, fresh);
    return fresh;
  }

  async function exchange(owner: Owner, entry: Spent): Promise<void> {
    const amount = entry.unreported;
    entry.unreported = 0;
    entry.reported += amount;
    try {
      const answer = await spend(redis, keys.replayedOf(owner), { amount, windowMs: WINDOW_MS });
      entry.reported = answer.spent;
      if (answer.spent > 0) entry.endsAt = performance.now() + answer.leftMs;
    } catch (err) {
      log.debug({ err }, "replays are counted here alone");
    } finally {
      entry.reporting = null;
      reportMuch(owner, entry);
    }
  }

  function reportMuch(owner: Owner, entry: Spent): void {
    const { limit, reported, unreported } = entry;
    if (unreported >= REPORTED_FROM_BYTES || (unreported > 0 && reported + unreported >= limit))
      void report(owner, entry);
  }

  /** Single flight: what is spent meanwhile is reported the next time. */
  function report(owner: Owner, entry: Spent): Promise<void> {
    entry.reporting ??= exchange(owner, entry);
    return entry.reporting;
  }

  /** The refusal for the first owner whose budget is used up; null if there is none. */
  function refusal(connection: Connection): ServiceError | null {
    for (const [owner, limit] of ownersOf(connection, limits)) {
      const known = spent.get(owner);
      const leftMs = (known?.endsAt ?? 0) - performance.now();
      if (!known || leftMs <= 0 || known.reported + known.unreported < limit) continue;
      return rateLimited({ bucket: "replay", limit, windowSeconds: WINDOW_MS / 1_000 }, leftMs);
    }
    return null;
  }

  return {
    refusal,
    /** Like `refusal`, with the current counts of all workers. Call it before a replay that reads the log. */
    async refusalOverall(connection: Connection): Promise<ServiceError | null> {
      await Promise.all(
        ownersOf(connection, limits).map(([owner, limit]) => report(owner, of(owner, limit))),
      );
      return refusal(connection);
    },
    spend(connection: Connection, bytes: number): void {
      if (bytes === 0) return;
      for (const [owner, limit] of ownersOf(connection, limits)) {
        const entry = of(owner, limit);
        entry.unreported += bytes;
        reportMuch(owner, entry);
      }
    },
  };
}

function ownersOf({ ip, holder }: Connection, limits: GatewayLimits): [owner: Owner, limit: number][] {
  const address: [Owner, number] = [`a:${addressKey(ip)}`, limits.replayBytesPerIp];
  return holder ? [address, [`u:${holder.userId}`, limits.replayBytesPerUser]] : [address];
}
