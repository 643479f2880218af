import type { Clock } from "../../store/clock.ts";
import { growingPause } from "../../store/growing-pause.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type PlatformCallDoc, platformCallsIn } from "../../store/mongo/platform-calls.ts";
import { CallRefused, type PaymentPlatform } from "./platform.ts";

/** Of one sweep; more are left to the next. */
const BATCH = 100;
const pauseAfter = growingPause(2_000, 3_600_000);
/** About two days. */
const MAX_FAILURES = 60;
/** Failures without a success between them after which a round ends: the platform is away, perhaps by hanging. */
const AWAY_AFTER = 3;

type Deps = {
  mongo: Mongo;
  clock: Clock;
  log: Log;
  platform: PaymentPlatform | null;
  onAlert: (what: string) => void;
};

export type PlatformCalls = ReturnType<typeof createPlatformCalls>;

/** Tells the payment platform what was committed here, in the order of each subject, until it has taken it. */
export function createPlatformCalls({ mongo, clock, log, platform, onAlert }: Deps) {
  const calls = platformCallsIn(mongo.db);

  /** Each failure is somebody's money: it alerts at once, and again when it is given up. */
  async function failed({ _id, subject, call, failures }: PlatformCallDoc, err: unknown): Promise<void> {
    const isOver = failures + 1 >= MAX_FAILURES;
    const now = clock.now();
    const about = { err, id: _id, subject, call: call.kind, failures: failures + 1 };
    log.error(about, isOver ? "a payment platform was told in vain" : "a payment platform wasn't told yet");
    onAlert(isOver ? "platform_call_parked" : "platform_call_failed");
    if (isOver) await calls.park(_id, new Date(now));
    else await calls.later(_id, new Date(now + pauseAfter(failures)), err instanceof CallRefused);
  }

  return {
    /** Ends early when it isn't `isSure` of being the only one, or when the platform is away. */
    async sweep(isSure = () => true): Promise<void> {
      if (!platform) return;
      let failures = 0;
      for (const doc of await calls.due(new Date(clock.now()), BATCH)) {
        if (!isSure() || failures >= AWAY_AFTER) return;
        if (!(await calls.isNext(doc))) continue;
        try {
          await platform.call(keyOf(doc), doc.call);
        } catch (err) {
          failures++;
          await failed(doc, err);
          continue;
        }
        failures = 0;
        await calls.done(doc._id);
      }
    },
  };
}

/** A platform may answer a key as it did the first time, refusals included: after one the next try is another call. */
const keyOf = ({ _id, refusals = 0 }: PlatformCallDoc): string =>
  refusals === 0 ? _id : `${_id}:${refusals}`;
