import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type PlatformCallDoc, platformCallsIn } from "../../store/mongo/platform-calls.ts";
import type { PaymentPlatform } from "./platform.ts";

/** Of one sweep; more are left to the next. */
const BATCH = 100;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** About two days. */
const MAX_FAILURES = 60;

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
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 20));
    if (isOver) await calls.park(_id, new Date(now));
    else await calls.later(_id, new Date(now + pause));
  }

  return {
    async sweep(): Promise<void> {
      if (!platform) return;
      for (const doc of await calls.due(new Date(clock.now()), BATCH)) {
        if (!(await calls.isNext(doc))) continue;
        try {
          await platform.call(doc._id, doc.call);
        } catch (err) {
          await failed(doc, err);
          continue;
        }
        await calls.done(doc._id);
      }
    },
  };
}
