import { inMs, inThousands, median } from "../figures.ts";
import type { Result, Row } from "../results.ts";
import { CONTENDERS, type ContenderName } from "./contenders.ts";
import { fanOut } from "./fan-out.ts";
import {
  calmLine,
  cpuOf,
  deliveredPerSecond,
  fanOutLine,
  loadLine,
  middle,
  middleRatio,
  perMessageUs,
  perMillion,
  times,
} from "./figures.ts";
import { atMost, noneOf } from "./goals.ts";
import type { SendFigures } from "./load/calls.ts";
import { admissions } from "./parts/admission.ts";
import { connects } from "./parts/connect.ts";
import type { FanOutPart } from "./parts/fan-outs.ts";
import { herd } from "./parts/herd.ts";
import { bytesPerIdleSocket } from "./parts/idle.ts";
import { type OwnEventFigures, ownEvents } from "./parts/own-events.ts";
import { termCosts } from "./parts/terms.ts";
import type { AdmitterFigures } from "./servers/admitter.ts";
import type { Stage } from "./stage.ts";

/** How long and how often; `clients` of those parts that are about many. */
export type Extent = { rounds: number; warmUpMs: number; ms: number; clients: number };

export type Measuring = {
  stage: Stage;
  extent: Extent;
  say(line: string): void;
  /** Where CPU profiles of our workers go; null for none. */
  profileTo: string | null;
  /** Ours beside nobody, to look at it; nothing is held against a goal then. */
  alone: boolean;
};

type Measured = Pick<Result, "rows" | "goals">;

/** Each contender once a round, in turns, so that what changes on the machine changes for all of them. */
export async function interleaved<Name extends string, T>(
  { extent, say }: Measuring,
  names: readonly Name[],
  run: (name: Name) => Promise<T>,
): Promise<(name: Name) => T[]> {
  const figures = new Map<Name, T[]>(names.map((name) => [name, []]));
  for (let round = 1; round <= extent.rounds; round++) {
    for (const name of names) {
      say(`round ${round} of ${extent.rounds}: ${name} …`);
      figures.get(name)?.push(await run(name));
    }
  }
  return (name) => figures.get(name) ?? [];
}

export async function measureFanOut(measuring: Measuring, part: FanOutPart): Promise<Measured> {
  const { stage, extent, profileTo, alone } = measuring;
  const { scene, pace, sampleEvery, unit } = part;
  const contenders = alone ? part.contenders.filter((name) => OURS.has(name)) : part.contenders;
  const baseline = alone ? "ours" : part.baseline;
  const sending = { pace, sampleEvery, warmUpMs: part.warmUpMs ?? extent.warmUpMs, ms: extent.ms };
  const runs = await interleaved(measuring, contenders, (name) =>
    fanOut(stage, name, { scene, sending }, profileTo && name === "ours" ? profileTo : undefined),
  );
  const cost = unit === "delivery" ? perMillion : perMessageUs;
  const rows = contenders.map((name): Row => {
    const ratios = [`CPU ${times(middleRatio(runs(name), runs(baseline), cost))}`];
    if ("inFlight" in pace)
      ratios.push(`rate ${times(middleRatio(runs(name), runs(baseline), deliveredPerSecond))}`);
    return { what: CONTENDERS[name].title, figure: fanOutLine(runs(name), unit), ratio: ratios.join(", ") };
  });
  return { rows, goals: alone ? [] : part.goals(runs) };
}

const OURS: ReadonlySet<ContenderName> = new Set(["ours", "twice"]);

const PEERS: readonly ContenderName[] = ["raw", "ours", "socketIo", "ws"];

export async function measureIdle(measuring: Measuring): Promise<Measured> {
  const { stage, extent } = measuring;
  const kib = await interleaved(
    measuring,
    PEERS,
    async (name) => (await bytesPerIdleSocket(stage, name, extent.clients)) / 1_024,
  );
  const rows = PEERS.map((name) => ({
    what: CONTENDERS[name].title,
    figure: `${median(kib(name)).toFixed(1)} KiB a socket, resident`,
    ratio: times(median(kib(name)) / median(kib("raw"))),
  }));
  return {
    rows,
    goals: [atMost("an idle socket, signed in, in one room", median(kib("ours")), 4, "KiB")],
  };
}

export async function measureConnect(measuring: Measuring): Promise<Measured> {
  const { stage, extent } = measuring;
  const runs = await interleaved(measuring, PEERS, (name) => connects(stage, name, extent.clients));
  const microseconds = (name: ContenderName) =>
    middle(runs(name), ({ cpuMs }) => (cpuOf(cpuMs) * 1_000) / extent.clients);
  const rows = PEERS.map((name) => ({
    what: `${CONTENDERS[name].title}${name === "ours" ? ", with a ticket" : ""}`,
    figure: [
      `**${Math.round(microseconds(name))} µs CPU a client**`,
      `${inThousands(middle(runs(name), ({ ms }) => (extent.clients * 1_000) / ms))} clients/s`,
      `load: ${Math.round(middle(runs(name), ({ load }) => (load.cpuMs * 1_000) / extent.clients))} µs a client, ${loadLine(runs(name).map(({ load }) => load))}`,
    ].join(" · "),
    ratio: times(microseconds(name) / microseconds("raw")),
  }));
  return {
    rows,
    goals: [atMost("connect, ticket, subscribe: CPU a client", microseconds("ours"), 100, "µs")],
  };
}

export async function measureHerd(measuring: Measuring): Promise<Measured> {
  const { stage, extent } = measuring;
  const runs = (
    await interleaved(measuring, ["ours"], () => herd(stage, extent.clients, Math.max(4_000, extent.ms)))
  )("ours");
  const p99 = (run: SendFigures) => run.latencyMs.p99;
  const microseconds = middle(runs, (run) => run.cpuMsPerClient * 1_000);
  const [quiet, busy] = [runs.map(({ calm }) => calm.quiet), runs.map(({ calm }) => calm.herd)];
  const reads = middle(runs, ({ logReads }) => logReads);
  const least = middle(runs, ({ leastReads }) => leastReads);
  const missing = runs.filter((run) => run.missing !== 0).length;
  return {
    rows: [
      {
        what: `${inThousands(extent.clients)} come back to 5 rooms at once, each 200 messages behind`,
        figure: `**${Math.round(microseconds)} µs CPU a client** · all there after ${middle(runs, ({ seconds }) => seconds).toFixed(1)} s · ${reads} reads of logs, where ${least} pages were requested · load: ${loadLine(runs.map(({ load }) => load))}`,
      },
      { what: "another room, 1 × 200, 50/s, before", figure: calmLine(quiet), ratio: "1 ×" },
      {
        what: "the same while they come",
        figure: calmLine(busy),
        ratio: `p99 ${times(middleRatio(busy, quiet, p99))}`,
      },
    ],
    goals: [
      atMost("CPU a client", microseconds, 300, "µs"),
      atMost("reads of logs: one per room, position and page", reads, least, ""),
      atMost("another room's p99 meanwhile", middleRatio(busy, quiet, p99), 2, "×"),
      noneOf("each replay once and whole", missing),
    ],
  };
}

export async function measureAdmission(measuring: Measuring): Promise<Measured> {
  const { stage, extent } = measuring;
  const names = ["no mode", "every mode", "every mode and 300 terms"] as const;
  const runs = await interleaved(measuring, names, (name) =>
    admissions(
      stage,
      { everyMode: name !== "no mode", terms: name === "every mode and 300 terms" ? 300 : 0 },
      extent.ms,
    ),
  );
  type Some = AdmitterFigures["later"];
  const redisUs = ({ cpuMs, admitted }: Some) => (cpuMs.redis * 1_000) / admitted;
  const wholeUs = ({ cpuMs, admitted }: Some) => ((cpuMs.redis + cpuMs.worker) * 1_000) / admitted;
  const of = (name: (typeof names)[number], when: "first" | "later") => runs(name).map((run) => run[when]);
  const rows = (["first", "later"] as const).flatMap((when) =>
    names.map((name) => ({
      what: `one process, 64 under way, nonce, both logs, ${name}, ${when === "first" ? "everybody's first message" : "later ones"}`,
      figure: [
        `**${middle(of(name, when), redisUs).toFixed(1)} µs of Redis**, ${middle(of(name, when), wholeUs).toFixed(0)} µs in all an admission`,
        `${inThousands(middle(of(name, when), ({ admitted, ms }) => (admitted * 1_000) / ms))} admissions/s`,
        ...(runs(name).some(({ refused }) => refused > 0) ? ["**some were refused**"] : []),
      ].join(" · "),
      ratio: times(middleRatio(of(name, when), of("no mode", when), wholeUs)),
    })),
  );
  return {
    rows,
    goals: [
      atMost("Redis CPU an admission, every mode", middle(of("every mode", "later"), redisUs), 20, "µs"),
      atMost(
        "CPU of an admission with every mode against none",
        middleRatio(of("every mode", "later"), of("no mode", "later"), wholeUs),
        1.3,
        "×",
      ),
      atMost(
        "CPU of an admission with every mode and 300 terms against none",
        middleRatio(of("every mode and 300 terms", "later"), of("no mode", "later"), wholeUs),
        1.3,
        "×",
      ),
    ],
  };
}

export async function measureOwnEvents(measuring: Measuring): Promise<Measured> {
  const { stage, extent } = measuring;
  const many = extent.clients * 10;
  const names = ["500 sockets", `${inThousands(many)} sockets`] as const;
  const runs = await interleaved(measuring, names, (name) =>
    ownEvents(stage, name === names[0] ? 500 : many, extent.ms / 8),
  );
  const p50 = ({ p50Ms }: OwnEventFigures) => p50Ms;
  const rows = names.map((name) => ({
    what: `from its publishing on, beside ${name} of others in one room`,
    figure: `p50 / p99 ${inMs(middle(runs(name), p50))} / ${inMs(middle(runs(name), ({ p99Ms }) => p99Ms))} · ${Math.round(middle(runs(name), ({ cpuUs }) => cpuUs))} µs CPU, with what all sockets cost meanwhile`,
    ratio: times(middleRatio(runs(name), runs(names[0]), p50)),
  }));
  const ratio = middleRatio(runs(names[1]), runs(names[0]), p50);
  return { rows, goals: [atMost(`p50 beside ${names[1]} against ${names[0]}`, ratio, 2, "×")] };
}

/** In this process, without stores. */
export async function measureTerms({ extent }: Measuring): Promise<Measured> {
  const count = 500;
  const figures = termCosts(count, 100 * extent.rounds);
  const rows = (["usual", "longest"] as const).flatMap((kind): Row[] => {
    const { bareUs, termsUs } = figures[kind];
    return [
      { what: `a ${kind} text by itself: hashes and links`, figure: `${bareUs.toFixed(1)} µs`, ratio: "1 ×" },
      {
        what: `held against ${count} terms, 50 of them expressions`,
        figure: `${termsUs.toFixed(1)} µs`,
        ratio: times(termsUs / bareUs),
      },
    ];
  });
  return { rows, goals: [atMost(`a usual text against ${count} terms`, figures.usual.termsUs, 50, "µs")] };
}
