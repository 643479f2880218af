import { expect } from "chai";
import type { Chance } from "../../../stress/seed.ts";
import type { World } from "../world.ts";
import type { AckedOrders } from "./acked-orders.ts";
import type { Crew } from "./crew.ts";
import type { Order } from "./orders.ts";

const FORTUNE = 5_000;
const MAX_STAKED = 40;
/** Number of answered orders, of all writers, between two decisions of a director. */
const PAUSE = { least: 60, more: 200 };

export type Channel = {
  stream: { _id: string; userId: string };
  viewers: string[];
  /** Null between two predictions. */
  current: { id: string; outcomes: string[] } | null;
  /** Null between two polls. */
  poll: { id: string; outcomes: string[] } | null;
};

type Together = { crew: Crew; acked: AckedOrders; chance: Chance };

export async function openChannel(world: World, viewers: number): Promise<Channel> {
  const stream = await world.stream();
  return { stream, viewers: await world.viewers(stream, viewers, FORTUNE), current: null, poll: null };
}

/** Without a key: a retry is refused. */
const UNKEYED: ReadonlySet<Order["type"]> = new Set(["vote", "endPoll"]);

/** Sends an order and records the answer; one in ten is sent again and must get the same answer. */
async function order({ crew, acked, chance }: Together, request: Order): Promise<string> {
  const answer = await crew.ask(request);
  acked.note(request, answer);
  if (answer.startsWith('{"ok"') && !UNKEYED.has(request.type) && chance.percent(10)) {
    expect(await crew.ask(request), `${request.type}, retried`).equal(answer);
  }
  return answer;
}

/** Bets and votes on open predictions and polls, and earns now and then. */
export async function write(options: Together & { name: string; channels: Channel[] }): Promise<void> {
  const { name, channels, chance, acked } = options;
  for (let n = 0; !acked.isFull; n++) {
    const channel = chance.one(channels);
    const { _id: streamId, userId: channelUserId } = channel.stream;
    const userId = chance.one(channel.viewers);
    const { current: prediction, poll } = channel;
    if (poll && chance.percent(20)) {
      const vote = { pollId: poll.id, optionId: chance.one(poll.outcomes), userId };
      await order(options, { type: "vote", key: `${name}:${n}`, ...vote });
      continue;
    }
    if (!prediction || chance.percent(5)) {
      const window = String(chance.below(1_000_000));
      await order(options, { type: "earn", key: window, userId, channelUserId, streamId });
      continue;
    }
    const amount = 1 + chance.below(MAX_STAKED);
    // Most of a user's bets choose the same outcome; the others are refused.
    const outcomeId =
      prediction.outcomes[(channel.viewers.indexOf(userId) + (chance.percent(5) ? 1 : 0)) % 2] ?? "";
    const bet = { predictionId: prediction.id, outcomeId, amount, userId };
    await order(options, { type: "bet", key: `${name}:${n}`, ...bet });
  }
}

/** Opens one prediction after the other, each with a poll, and decides it in one of the possible ways. */
export async function direct(options: Together & { channel: Channel }): Promise<void> {
  const { channel, acked, chance } = options;
  const { _id: streamId, userId: by } = channel.stream;
  const pause = () => acked.reached(acked.answered + PAUSE.least + chance.below(PAUSE.more));
  for (let n = 0; !acked.isFull; n++) {
    const opened: unknown = JSON.parse(await order(options, { type: "open", key: `open:${n}`, streamId }));
    const { id, outcomes } = openedIn(opened);
    acked.predictions.push(id);
    channel.current = { id, outcomes };
    channel.poll = openedIn(
      JSON.parse(await order(options, { type: "openPoll", key: `poll:${n}`, streamId })),
    );
    await pause();
    // Concurrent votes are refused or counted.
    await order(options, { type: "endPoll", key: `end:${n}`, pollId: channel.poll.id, by });
    channel.poll = null;
    const about = { predictionId: id, by };
    if (chance.percent(50)) await order(options, { type: "lock", key: `lock:${n}`, ...about });
    channel.current = null;
    if (chance.percent(70)) {
      const outcomeId = chance.one(outcomes);
      await order(options, { type: "resolve", key: `resolve:${n}`, outcomeId, ...about });
    } else {
      await order(options, { type: "cancel", key: `cancel:${n}`, ...about });
    }
  }
}

function openedIn(answer: unknown): { id: string; outcomes: string[] } {
  if (typeof answer === "object" && answer !== null && "ok" in answer) {
    const { ok } = answer;
    if (
      typeof ok === "object" &&
      ok !== null &&
      "id" in ok &&
      "outcomes" in ok &&
      Array.isArray(ok.outcomes)
    ) {
      return { id: String(ok.id), outcomes: ok.outcomes.map(String) };
    }
  }
  throw new Error(`it could not be opened: ${JSON.stringify(answer)}`);
}
