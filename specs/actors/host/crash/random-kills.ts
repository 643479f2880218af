import { chanceFrom } from "../../../stress/seed.ts";
import { bundle } from "../../../support/bundle.ts";
import { eventually } from "../../../support/eventually.ts";
import { expectAgreement, expectNothingLeftOver } from "../agreement.ts";
import { expectRoomEventsInOrder } from "../announced-events.ts";
import { expectSettled, expectSoundLedger } from "../invariants.ts";
import { eventRecorderIn } from "../published-events.ts";
import { openWorld } from "../world.ts";
import { AckedOrders } from "./acked-orders.ts";
import { startCrew } from "./crew.ts";
import type { WorkerInput } from "./orders.ts";
import { type Channel, direct, openChannel, write } from "./writers.ts";

type KillOptions = {
  seed: number;
  writers: number;
  /** Number of kills over the run, of api and jobs workers alike. */
  kills: number;
  /** Number of answered orders after which all stop. */
  operations: number;
};

const CHANNELS = 4;
const QUIET_WITHIN_MS = 60_000;

/**
 * Writers bet and earn, and a director in each channel opens, locks, resolves and cancels, while workers are killed and replaced.
 * A caller without an answer retries with the same key. In the end every acknowledged order has taken effect once, and all
 * invariants hold.
 */
export async function runRandomKills(
  { seed, writers, kills, operations }: KillOptions,
  print: (line: string) => void,
): Promise<Record<string, number>> {
  print(`random kills: seed ${seed}`);
  const began = performance.now();
  const chance = chanceFrom(seed);
  const world = await openWorld();
  const { db } = world.mongo;
  const list = `lc-spec:${db.databaseName}`;
  const recorder = eventRecorderIn(world.stores.redis, list);
  const module = await bundle("specs/actors/host/crash/worker.ts");
  const inputs = (["api", "api", "jobs"] as const).map(
    (role): WorkerInput => ({ database: db.databaseName, list, role }),
  );
  const crew = await startCrew(module, inputs, chance);
  try {
    const acked = new AckedOrders(operations);
    const channels: Channel[] = [];
    for (let i = 0; i < CHANNELS; i++) channels.push(await openChannel(world, Math.ceil(writers / CHANNELS)));
    const directors = channels.map((channel) => direct({ channel, crew, acked, chance }));
    const working = [
      ...directors,
      ...Array.from({ length: writers }, (_, i) => write({ name: `w${i}`, channels, crew, acked, chance })),
    ];
    const ends = await Promise.allSettled([
      Promise.all(working).finally(() => acked.close()),
      killAll(acked),
    ]);
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    print(`${acked.answered} orders answered, ${crew.figures.kills} kills; waiting for quiet`);

    await eventually(
      async () => {
        await expectNothingLeftOver(db);
        return (await db.collection("timers").countDocuments()) === 0;
      },
      { withinMs: QUIET_WITHIN_MS, what: "timers are left" },
    );
    const { entries, predictions } = await expectSoundLedger(db);
    for (const prediction of acked.predictions) await expectSettled(db, prediction);
    await expectAgreement(db);
    await expectRoomEventsInOrder(db, await recorder.events());
    await acked.expectAllThere(db);
    const seconds = Math.round((performance.now() - began) / 1_000);
    return { seed, operations: acked.answered, ...crew.figures, entries, predictions, seconds };
  } finally {
    await crew.stop();
    await recorder.forget();
    await world.close();
  }

  async function killAll(acked: AckedOrders): Promise<void> {
    for (let i = 1; i <= kills; i++) {
      await acked.reached(Math.floor((operations * i) / (kills + 1)));
      if (acked.isClosed) return;
      await crew.kill();
    }
  }
}
