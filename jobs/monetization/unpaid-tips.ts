import { DAY_MS } from "../../base/durations.ts";
import { tipsIn } from "../../store/mongo/monetization/tips.ts";
import type { NightlyDeps } from "../tasks/nightly-deps.ts";

const SHOWN_MS = DAY_MS;
/** A payment that is reported later no longer finds its tip. */
const KEPT_MS = 30 * DAY_MS;

/** Hides tips that weren't paid for a day; MongoDB removes them 30 days later unless they are paid after all. */
export async function runUnpaidTips({ db, now, log }: NightlyDeps): Promise<void> {
  const at = now().getTime();
  const hidden = await tipsIn(db).hideUnpaid(new Date(at - SHOWN_MS), new Date(at + KEPT_MS));
  log.info({ hidden }, "tips that weren't paid for a day are hidden");
}
