import { createAnalytics } from "../../../../actors/discovery/analytics/analytics.ts";
import { silentMeter } from "../../../../base/metrics.ts";
import { createPresence } from "../../../../realtime/rooms/presence.ts";
import { activityMarksCollection, forgetTouches } from "../../../../store/mongo/channels/activity-marks.ts";
import { streamsIn } from "../../../../store/mongo/channels/streams.ts";
import { standingClock } from "../../../support/clock.ts";
import { MASTER_KEY } from "../../../support/core.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import type { Stores } from "../../../support/stores.ts";

/** Ages all activity marks, as if nobody had written for a while. */
export async function settle({ db }: Stores["mongo"]): Promise<void> {
  await activityMarksCollection.in(db).updateMany({}, { $set: { touchedAt: new Date(1) } });
  forgetTouches(db);
}

/** Analytics alone, as a worker has it, with a clock that stands still. */
export function openAnalytics(
  { mongo, redis }: Stores,
  clock = standingClock(),
  presence = createPresence({ redis, clock }),
) {
  const analytics = createAnalytics({
    mongo,
    streams: streamsIn(mongo.db),
    presence,
    clock,
    masterKey: MASTER_KEY,
    paymentSettings: { prices: { currency: "USD", tierCents: { 1: 499, 2: 999, 3: 2_499 } } },
    meter: silentMeter(),
    log: quietLog(),
  });
  return {
    analytics,
    presence,
    clock,
    settle: () => settle(mongo),
  };
}
