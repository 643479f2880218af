import type { Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** What a running primary last said of its host. All times are MongoDB's own, so that hosts' clocks don't matter. */
type HostDoc = {
  _id: string;
  seenAt: Date;
  /** Absent until Redis has answered it once. */
  redisSeenAt?: Date;
  /** The kinds of workers that it had ready. */
  ready: string[];
};

const REMOVED_AFTER_SECONDS = 3_600;

/** A host without a report for this long isn't counted. */
const FRESH_MS = 6_000;
/**
 * If Redis goes away everywhere, hosts miss it at different moments, at most a report and its deadlines apart. Only a host that has
 * heard from it this much later still does.
 */
const LATER_MS = 4_000;
const MOST_HOSTS = 200;
const WITHIN_MS = 1_000;

export const hostsCollection = defineCollection<HostDoc>("hosts", {
  indexes: [{ key: { seenAt: 1 }, expireAfterSeconds: REMOVED_AFTER_SECONDS }],
  personal: "none",
});

/** The kinds of workers that are ready on other hosts. */
type OtherHosts = {
  /** On hosts that have heard from Redis lately. */
  withRedis: string[];
  /** On hosts that have heard from Redis since this one has; none while Redis answers here. */
  withRedisSince: string[];
};

const readyOn = (hosts: readonly HostDoc[]): string[] => [...new Set(hosts.flatMap(({ ready }) => ready))];

export function hostsIn(db: Db) {
  const hosts = hostsCollection.in(db);
  return {
    /** Reports this host, and returns what others have reported. A report may be lost in a failover: the next one follows. */
    async report(
      id: string,
      { hasRedis, ready }: { hasRedis: boolean; ready: readonly string[] },
    ): Promise<OtherHosts> {
      const own = await hosts.findOneAndUpdate(
        { _id: id },
        [
          {
            $set: {
              seenAt: "$$NOW",
              ready: { $literal: ready },
              ...(hasRedis ? { redisSeenAt: "$$NOW" } : {}),
            },
          },
        ],
        { upsert: true, returnDocument: "after", writeConcern: { w: 1 }, timeoutMS: WITHIN_MS },
      );
      const now = own?.seenAt.getTime() ?? 0;
      const others = await hosts
        .find(
          { _id: { $ne: id }, redisSeenAt: { $gt: new Date(now - FRESH_MS) } },
          { readConcern: { level: "local" }, timeoutMS: WITHIN_MS },
        )
        .limit(MOST_HOSTS)
        .toArray();
      const sinceMs = (own?.redisSeenAt?.getTime() ?? 0) + LATER_MS;
      const later = others.filter(({ redisSeenAt }) => (redisSeenAt?.getTime() ?? 0) > sinceMs);
      return { withRedis: readyOn(others), withRedisSince: readyOn(later) };
    },
    leave: async (id: string) =>
      void (await hosts.deleteOne({ _id: id }, { writeConcern: { w: 1 }, timeoutMS: WITHIN_MS })),
  };
}
