import { inMs, inThousands } from "../figures.ts";
import type { Result, Row } from "../results.ts";
import { CONTENDERS, type ContenderName } from "./contenders.ts";
import {
  cpuOf,
  deliveredPerSecond,
  faultsIn,
  loadLine,
  middle,
  middleRatio,
  perMillion,
  times,
} from "./figures.ts";
import { atLeast, atMost, noneOf } from "./goals.ts";
import type { SendFigures } from "./load/calls.ts";
import { startLoad } from "./load-generator.ts";
import { interleaved, type Measuring } from "./measure.ts";
import type { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";

/** VIPs, so that no rule of the room refuses what the worker could carry. */
const SCENE: Scene = { rooms: 500, viewersEach: 2, senders: 2_000, rules: "vips" };
/** Keeps a worker and its Redis busy, and doesn't make anything wait. */
const UNDER_WAY = 128;
const OVERLOAD_MS = 20_000;
/** How long after the overload its consequences may last. */
const RECOVERY_MS = 2_000;
const PEERS: readonly ContenderName[] = ["raw", "ours", "socketIo", "ws"];

type OverloadFigures = {
  /** As fast as it goes, half of that, twice that, and half of that again. */
  most: SendFigures;
  before: SendFigures;
  overload: SendFigures;
  after: SendFigures;
};

/** One contender: first what it can carry, then twice that, then half. */
async function overload(
  stage: Stage,
  name: ContenderName,
  { warmUpMs, ms, forMs }: { warmUpMs: number; ms: number; forMs: number },
  profileTo: string | null,
): Promise<OverloadFigures> {
  const served = await CONTENDERS[name].open(stage, SCENE, profileTo === null ? {} : { profileTo });
  try {
    const load = await startLoad(served.setting);
    try {
      await load.connect(await served.viewers(), await served.senders());
      const measure = { sampleEvery: 1, warmUpMs, ms };
      const most = await load.send({ ...measure, pace: { inFlight: UNDER_WAY } });
      const capacity = deliveredPerSecond(most) / SCENE.viewersEach;
      const half = { ...measure, pace: { perSecond: capacity / 2 } };
      const before = await load.send(half);
      const overload = await load.send({
        sampleEvery: 1,
        warmUpMs: 0,
        ms: forMs,
        pace: { perSecond: 2 * capacity },
      });
      const after = await load.send({ ...half, warmUpMs: RECOVERY_MS });
      return { most, before, overload, after };
    } finally {
      await load.close();
    }
  } finally {
    await served.close();
  }
}

export async function measureOverload(measuring: Measuring): Promise<Pick<Result, "rows" | "goals">> {
  const { stage, extent, alone } = measuring;
  const contenders = alone ? (["ours"] as const) : PEERS;
  const runs = await interleaved(measuring, contenders, (name: ContenderName) =>
    overload(
      stage,
      name,
      { ...extent, forMs: Math.min(OVERLOAD_MS, extent.ms * 5) },
      name === "ours" ? measuring.profileTo : null,
    ),
  );
  const of = (name: ContenderName, phase: keyof OverloadFigures) => runs(name).map((run) => run[phase]);
  const share = (name: ContenderName) =>
    middleRatio(of(name, "overload"), of(name, "most"), deliveredPerSecond);
  /** The same where the machine gave one of both less of its core. */
  const shareByCpu = (name: ContenderName) =>
    1 / middleRatio(of(name, "overload"), of(name, "most"), perMillion);
  const latency = (phases: SendFigures[]) =>
    `p50 / p99 ${inMs(middle(phases, ({ latencyMs }) => latencyMs.p50))} / ${inMs(middle(phases, p99))}`;

  const rows = contenders.map((name: ContenderName): Row => {
    const loaded = of(name, "overload");
    return {
      what: CONTENDERS[name].title,
      figure: [
        `can carry ${inThousands(middle(of(name, "most"), deliveredPerSecond))} deliveries/s (core ${busy(of(name, "most"))})`,
        `at twice that **${inThousands(middle(loaded, deliveredPerSecond))} deliveries/s, ${latency(loaded)}** (core ${busy(loaded)})`,
        ...faultsIn(loaded),
        `at half of it before ${latency(of(name, "before"))}, after ${latency(of(name, "after"))}`,
        `load: says ${inMs(middle(loaded, ({ lateMs }) => lateMs.p99))} late (p99), ${loadLine(loaded.map(({ load }) => load))}`,
      ].join(" · "),
      ratio: `${times(share(name))} of what it can, ${times(shareByCpu(name))} by CPU`,
    };
  });
  const ours = runs("ours");
  const disordered = ours.filter((run) =>
    Object.values(run).some(({ disorder, closed }) => disorder > 0 || closed > 0),
  );
  return {
    rows,
    goals: [
      atLeast("deliveries at twice the load against what it can carry", share("ours"), 0.8, "×"),
      atMost("p99 at twice the load", middle(of("ours", "overload"), p99), 250, "ms"),
      atMost(
        "p99 at half the load, 2 s after, against before",
        middleRatio(of("ours", "after"), of("ours", "before"), p99),
        1.5,
        "×",
      ),
      noneOf("each message at most once and in order", disordered.length),
    ],
  };
}

const p99 = (run: SendFigures) => run.latencyMs.p99;

const busy = (runs: SendFigures[]) =>
  `${Math.round(middle(runs, (run) => cpuOf(run.cpuMs) / run.ms) * 100)} % busy`;
