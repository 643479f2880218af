import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Request } from "autocannon";
import { inMs, inThousands, median, percentile, perSecond } from "../figures.ts";
import type { Goal, Row } from "../results.ts";
import { atLeast, atMost } from "../rooms/goals.ts";
import { type ContenderName, type Served, TITLES } from "./contenders.ts";
import { type Extent, load } from "./load.ts";

/** Connections, at most: far more than a worker has slots. */
const CLIENTS = 600;
/** Times the load that the server carried with as many clients as it needs. */
const OVER = 2;
/** When the load has ended, latency is as before within this time. */
const RECOVERY_MS = 2_000;
const GOAL = { delivered: 0.8, p99: 250, after: 1.5 };

type Answer = { status: number; ms: number; at: number };
export type Overload = { capacity: number; calm: Answer[]; over: Answer[]; after: Answer[] };

/** Half of what the server carries, then twice that, then half again; requests come whether or not earlier ones were answered. */
export async function overload(served: Served, requests: Request[], extent: Extent): Promise<Overload> {
  const { perSecond: capacity } = await load(served, requests, extent);
  const half = { requests, rate: capacity / 2, ms: extent.ms };
  const calm = await answersAt(served, half);
  const over = await answersAt(served, { requests, rate: capacity * OVER, ms: 2 * extent.ms });
  const after = await answersAt(served, { ...half, ms: extent.ms + RECOVERY_MS });
  return { capacity, calm, over, after: after.filter(({ at }) => at > RECOVERY_MS) };
}

/** An open loop: a request is sent when it is due, on a connection of its own if all others are waiting. */
async function answersAt(
  { port }: Served,
  { requests, rate, ms }: { requests: Request[]; rate: number; ms: number },
): Promise<Answer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const answers: Answer[] = [];
  const sent: Promise<void>[] = [];
  const from = performance.now();
  for (let now = 0; now < ms; now = performance.now() - from) {
    while (sent.length < (rate * now) / 1_000) {
      const due = from + (sent.length * 1_000) / rate;
      const one = requests[sent.length % requests.length] ?? {};
      sent.push(
        answer({ agent, port, one }).then((status) => {
          const at = performance.now();
          answers.push({ status, ms: at - due, at: due - from });
        }),
      );
    }
    await pause(1);
  }
  await Promise.all(sent);
  agent.destroy();
  return answers;
}

function answer({ agent, port, one }: { agent: Agent; port: number; one: Request }): Promise<number> {
  const { method, path, headers } = one;
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: "127.0.0.1", port, method, path, headers }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
    sent.once("error", reject);
    sent.end();
  });
}

/** The middle of the rounds of each contender. */
export function overloadResult(
  rounds: Record<ContenderName, Overload[]>,
  extent: Extent,
): { rows: Row[]; goals: Goal[] } {
  const middle = (name: ContenderName, of: (round: Overload) => number) => median(rounds[name].map(of));
  const delivered = ({ capacity, over }: Overload) =>
    perSecond(over.filter(isServed).length, 2 * extent.ms) / capacity;
  const p99 = (answers: Answer[]) =>
    percentile(
      answers.filter(isServed).map(({ ms }) => ms),
      0.99,
    );
  const row = (name: ContenderName): Row => ({
    what: TITLES[name],
    figure: [
      `carries ${inThousands(middle(name, ({ capacity }) => capacity))} req/s`,
      `at ${OVER} × that ${Math.round(100 * middle(name, delivered))} % of it served, p99 ${inMs(middle(name, ({ over }) => p99(over)))}`,
      `${Math.round(100 * middle(name, ({ over }) => refusedOf(over).length / over.length))} % refused, the slowest after ${inMs(middle(name, ({ over }) => Math.max(0, ...refusedOf(over).map(({ ms }) => ms))))}`,
      `p99 at half the load ${inMs(middle(name, ({ calm }) => p99(calm)))} before, ${inMs(middle(name, ({ after }) => p99(after)))} after`,
    ].join(" · "),
  });
  return {
    rows: [row("bare"), row("ours")],
    goals: [
      atLeast("served of what it carries", middle("ours", delivered), GOAL.delivered, "×"),
      atMost(
        "p99 of what is served",
        middle("ours", ({ over }) => p99(over)),
        GOAL.p99,
        "ms",
      ),
      atMost(
        "p99 two seconds after the overload to that before",
        middle("ours", ({ calm, after }) => p99(after) / p99(calm)),
        GOAL.after,
        "×",
      ),
    ],
  };
}

const isServed = ({ status }: Answer) => status < 300;
const refusedOf = (answers: Answer[]) => answers.filter(({ status }) => status === 503);
