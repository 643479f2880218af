/**
 * What has to be done once after the database was restored from a backup, while no worker runs:
 * 1. What waits to go out is held, since it may have gone out after the backup.
 * 2. Files that nothing refers to are kept for 30 days, since a newer backup may refer to them.
 * 3. New keys sign access tokens, and those of all older keys are void at once.
 * 4. Sessions end: one that had been ended since the backup looks like any other.
 * 5. Redis forgets versions and caches of what the database has lost; bans that only Redis knows are written back.
 * No worker starts until all steps are finished. Each step is safe to repeat and is recorded with what it did when it is finished, so that a second run resumes, or does nothing: the
 * sessions and mails that it would find then are new ones. Only a run that is asked to end more than the one before ends that.
 */

import { type Audit, OPERATOR } from "../../base/audit.ts";
import type { Clock } from "../../base/clock.ts";
import { DAY_MS, HOUR_MS } from "../../base/durations.ts";
import { forgetVersions } from "../../realtime/rooms/forget-versions.ts";
import { apiTokensIn } from "../../store/mongo/accounts/api-tokens.ts";
import { emailTokensIn } from "../../store/mongo/accounts/email-tokens.ts";
import { sessionsIn } from "../../store/mongo/accounts/sessions.ts";
import { signingKeysIn } from "../../store/mongo/accounts/signing-keys.ts";
import { filesIn } from "../../store/mongo/channels/files.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { type RestoreCounts, restoresIn } from "../../store/mongo/host/restores.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { rotateSigningKeys } from "../accounts/tokens/signing-keys.ts";
import type { Sealing } from "../keys/sealing.ts";
import { restoreChatBans } from "./chat-bans.ts";
import type { Held, HeldOutboxes } from "./held-outboxes.ts";

const KEEP_FILES_MS = 30 * DAY_MS;
/** Workers don't look back that far for ended sessions; nobody has to be notified of these, as their tokens are void. */
const UNNOTICED_MS = HOUR_MS;

export type RestoreOrder = {
  backupTime: Date;
  /** Only sessions end that the database itself shows as begun or refreshed after that time. */
  keepsSessions: boolean;
  /** Personal API tokens end as well; those for embedded chats always do. */
  endsTokens: boolean;
};

/** Counts are of all runs for that backup. */
export type Restored = RestoreCounts & {
  /** False when earlier runs had done all of it. */
  isNew: boolean;
};

type Deps = {
  mongo: Pick<Mongo, "db">;
  redis: RedisConnection;
  clock: Clock;
  audit: Audit;
  sealing: Sealing;
  held: Pick<HeldOutboxes, "hold" | "waiting">;
  /** Throws while a worker is connected to the database. */
  requireNoWorkers: () => Promise<void>;
};

export async function afterRestore(
  { mongo, redis, clock, audit, sealing, held, requireNoWorkers }: Deps,
  { backupTime, keepsSessions, endsTokens }: RestoreOrder,
): Promise<Restored> {
  const { db } = mongo;
  const now = () => new Date(clock.now());
  const restores = restoresIn(db);
  const id = backupTime.toISOString();
  const keptUntil = new Date(clock.now() + KEEP_FILES_MS);
  await requireNoWorkers();
  const begun = await restores.begin(id, now(), keptUntil);
  // Once more: workers look for the row once they are connected, so that one sees the other whichever comes first.
  await requireNoWorkers().catch(async (err: unknown) => {
    await restores.cancel(id);
    throw err;
  });
  const finished = new Set(Object.keys(begun.steps));
  let { counts } = begun;

  /** `work` adds to `did` what it ended or wrote back. Returns false when it was finished before. */
  async function step(name: string, work: (did: RestoreCounts) => Promise<unknown>): Promise<boolean> {
    if (finished.has(name)) return false;
    await restores.resume(id);
    const did = { sessions: 0, grants: 0, bans: 0 };
    await work(did);
    counts = await restores.done(id, name, now(), did);
    finished.add(name);
    return true;
  }

  await step("held", held.hold);
  await step("filesKept", () => filesIn(db).keepPending(keptUntil));
  await step("keysReplaced", () =>
    rotateSigningKeys(
      { keys: signingKeysIn(db), sealing, audit, now: clock.now() },
      { atOnce: true, overlapMs: 0 },
    ),
  );
  const endedAt = new Date(Math.min(backupTime.getTime(), clock.now() - UNNOTICED_MS));
  const endSessions = async (since: Date | null, did: RestoreCounts) => {
    did.sessions = await sessionsIn(db).endAfterRestore(since, endedAt);
  };
  const endTokens = async (which: "all" | "for_sites", did: RestoreCounts) => {
    did.grants = await apiTokensIn(db).endAfterRestore(which, endedAt);
  };
  await step("newSessionsEnded", (did) => endSessions(backupTime, did));
  if (!keepsSessions) await step("allSessionsEnded", (did) => endSessions(null, did));
  await step("siteTokensEnded", (did) => endTokens("for_sites", did));
  if (endsTokens) await step("allTokensEnded", (did) => endTokens("all", did));
  await step("resetsRemoved", () => emailTokensIn(db).removeResets());
  await step("redisReset", async (did) => {
    const restore = restoreChatBans({ mongo, clock });
    await forgetVersions(redis, async (known) => {
      did.bans += await restore(known);
    });
  });
  const more = [...finished].filter((name) => name.startsWith("all")).sort();
  const isNew = await step(["audited", ...more].join(":"), async () => {
    const waiting = await held.waiting();
    const count = (wanted: Held) => waiting.find(({ what }) => what === wanted)?.count ?? 0;
    const outboxes = {
      mails: count("mails"),
      pushes: count("pushes"),
      notifications: count("notifications"),
      calls: count("calls"),
    };
    audit("database.restored", OPERATOR, { backupTime: id, ...counts, ...outboxes });
  });
  await restores.finish(id, now());
  return { isNew, ...counts };
}
