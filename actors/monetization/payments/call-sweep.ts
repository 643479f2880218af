import type { Clock } from "../../../base/clock.ts";
import { HOUR_MS } from "../../../base/durations.ts";
import type { Log } from "../../../base/log.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { type PlatformCallDoc, platformCallsIn } from "../../../store/mongo/monetization/platform-calls.ts";
import { exponentialBackoff } from "../../host/exponential-backoff.ts";
import { CallRefused, type PaymentPlatform } from "./platform.ts";

/** Calls per sweep; more are left to the next. */
const BATCH = 100;
/** How long a call is out of the way that waits for an older one about its subject: a batch full of such would starve the others. */
const WAIT_MS = 10_000;
const pauseAfter = exponentialBackoff(2_000, HOUR_MS);
/** With the back-off between them, tries span about two days. */
const MAX_FAILURES = 60;
/** Consecutive failures that end a sweep: the platform is unavailable, perhaps hanging. */
const AWAY_AFTER = 3;

type Deps = {
  mongo: Mongo;
  clock: Clock;
  log: Log;
  platform: PaymentPlatform | null;
  onAlert: (what: string) => void;
};

export type PlatformCalls = ReturnType<typeof createPlatformCalls>;

/** Sends committed calls to the payment platform, in order per subject, until it accepts them: an outbox, at least once. */
export function createPlatformCalls({ mongo, clock, log, platform, onAlert }: Deps) {
  const calls = platformCallsIn(mongo.db);
  const outage = createOutageLog(log, "payment platform: call");

  /** Alerts on every failure, because money depends on it, and again when the call is parked (dead letter). */
  async function failed({ _id, subject, call, failures }: PlatformCallDoc, err: unknown): Promise<void> {
    const isOver = failures + 1 >= MAX_FAILURES;
    const now = clock.now();
    const about = { id: _id, subject, call: call.kind, attempts: failures + 1 };
    if (isOver) log.error({ err, ...about }, "a call to the payment platform was given up");
    else if (err instanceof CallRefused)
      log.error({ err, ...about }, "a call to the payment platform was refused; it is tried again");
    else outage.failed(err, about);
    onAlert(isOver ? "platform_call_parked" : "platform_call_failed");
    if (isOver) await calls.park(_id, new Date(now));
    else await calls.later(_id, new Date(now + pauseAfter(failures)), err instanceof CallRefused);
  }

  return {
    /** Ends early when `isSure` returns false (another worker may be sweeping), or when the platform is unavailable. */
    async sweep(isSure = () => true): Promise<void> {
      if (!platform) return;
      let failures = 0;
      for (const doc of await calls.due(new Date(clock.now()), BATCH)) {
        if (!isSure() || failures >= AWAY_AFTER) return;
        if (!(await calls.isNext(doc))) {
          await calls.postpone(doc._id, new Date(clock.now() + WAIT_MS));
          continue;
        }
        try {
          await platform.call(keyOf(doc), doc.call);
        } catch (err) {
          failures++;
          await failed(doc, err);
          continue;
        }
        failures = 0;
        outage.succeeded();
        await calls.done(doc._id);
      }
    },
  };
}

/** A platform may replay its first answer to a key, refusals included. So each try after a refusal gets a new idempotency key. */
const keyOf = ({ _id, refusals = 0 }: PlatformCallDoc): string =>
  refusals === 0 ? _id : `${_id}:${refusals}`;
