import { setTimeout as pause } from "node:timers/promises";
import { haveEvening } from "../../../deploy/development/demo/evening.ts";
import { createProgress, renderTable } from "../../../deploy/development/demo/report.ts";
import type { Figures, Print } from "../../stress/scenario.ts";
import { withTwoReleases } from "./two-releases.ts";

const CHAT_SECONDS = 20;
const RATE = 8;
/** How long both releases serve. */
const BESIDE_MS = 5_000;

/** The demo's evening, in the middle of whose chat the older release is replaced by this one. */
export function runUpdatedEvening(
  { seed, viewers }: { seed: number; viewers: number },
  print: Print,
): Promise<Figures> {
  return withTwoReleases(print, async ({ balancer, systemKey, start }) => {
    const older = await start("older");
    balancer.put([older]);
    let updated: Promise<void> = Promise.resolve();
    async function update(): Promise<void> {
      const newer = await start("newer");
      balancer.put([older, newer]);
      await pause(BESIDE_MS);
      balancer.put([newer]);
      await older.stop();
    }
    const { checks, figures } = await haveEvening({
      baseUrl: balancer.url,
      watchUrl: balancer.url,
      viewers,
      rate: RATE,
      seed,
      ingestKey: systemKey,
      ffmpeg: null,
      chatSeconds: CHAT_SECONDS,
      progress: createProgress({ write: (text) => print(text.trimEnd()) }),
      pass: (ms) => pause(ms),
      async halfway() {
        updated = update();
        await updated;
        return { lost: 0, back: 0, tookMs: [] };
      },
      makeStaff: null,
      hasCheckoutPage: true,
    });
    await updated;
    print(`${renderTable(checks)}\n${figures}`);
    const wrong = checks.filter(({ ok }) => !ok).map(({ what }) => what);
    if (wrong.length > 0) throw new Error(`wrong after the update: ${wrong.join(", ")}`);
    return { ...Object.fromEntries(balancer.answers), checks: checks.length };
  });
}
