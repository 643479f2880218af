import { expect } from "chai";
import fc from "fast-check";
import type { Actors } from "../../../actors/actors.ts";
import { newId } from "../../../store/ids.ts";
import type { BalanceDoc } from "../../../store/mongo/balances.ts";
import type { RedemptionDoc } from "../../../store/mongo/redemptions.ts";
import { ServiceError } from "../../contract/errors.ts";
import { expectAgreement, expectNothingLeftOver } from "../agreement.ts";
import { expectSoundLedger } from "../invariants.ts";
import { openWorld, type World } from "../world.ts";

const VIEWERS = 4;
const FORTUNE = 500;
const DAY_MS = 24 * 3_600_000;

type Act =
  | { type: "redeem"; viewer: number; key: number | null }
  | { type: "fulfil" | "refund"; nth: number }
  | { type: "bet"; viewer: number; outcome: number; amount: number }
  | { type: "resolve" | "cancel" | "delete" | "claim" }
  | { type: "watch"; viewer: number; window: number };
type Step = { acts: Act[]; passMs: number };

const viewer = fc.nat(VIEWERS - 1);
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant("redeem" as const), viewer, key: fc.option(fc.nat(5)) }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom("fulfil", "refund"), nth: fc.nat(9) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ type: fc.constant("bet" as const), viewer, outcome: fc.nat(1) },
      amount: fc.integer({ min: 1, max: 200 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("watch" as const), viewer, window: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom("resolve", "cancel", "delete", "claim") }) },
);
const step: fc.Arbitrary<Step> = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 12 }),
  passMs: fc.constantFrom(0, 0, 1_000, 60_000, 30 * DAY_MS),
});

/**
 * Random programs of rewards, predictions and earnings on one channel, by two processes at once, one of which never gets to
 * publish anything. After each program everything is conserved, settled and published. Returns what happened how often.
 */
export async function runPrograms({ seed, acts }: { seed: number; acts: number }) {
  const world = await openWorld();
  const away = () => Promise.reject(new ServiceError("unavailable"));
  const silent = world.rival({ publishRoom: away, publishUsers: away });
  const figures: Record<string, number> = { acts: 0 };
  const program = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
    if ((figures.acts ?? 0) < acts) await run(world, [world, silent], steps, figures);
  });
  try {
    for (let round = 0; (figures.acts ?? 0) < acts; round++)
      await fc.assert(program, { seed: seed + round, numRuns: 5, endOnFailure: true });
    return figures;
  } finally {
    await world.close();
  }
}

async function run(
  world: World,
  hosts: readonly Actors[],
  steps: Step[],
  figures: Record<string, number>,
): Promise<void> {
  const { db } = world.mongo;
  const stream = await world.stream();
  const viewers = await Promise.all(Array.from({ length: VIEWERS }, () => world.user()));
  for (const id of viewers) await world.give(id, stream, FORTUNE);
  const owner = stream.userId;
  const bought: RedemptionDoc[] = [];
  const decided = new Map<string, string>();
  let earned = VIEWERS * FORTUNE;

  const offer = () => ({
    ...{ title: newId(), description: null, cost: 40, isEnabled: true, isPaused: false },
    ...{ requiresInput: false, skipQueue: false },
    ...{ cooldownSeconds: null, maxPerStream: 12, maxPerUserPerStream: 4 },
  });
  let reward = await world.rewards.create({ stream, offer: offer(), by: owner });

  async function take(one: Act, actors: Actors): Promise<void> {
    const by = "viewer" in one ? (viewers[one.viewer] ?? "") : owner;
    switch (one.type) {
      case "redeem": {
        const key = one.key === null ? null : `${reward._id}:${one.key}`;
        const made = await actors.rewards.redeem({ rewardId: reward._id, userId: by, userInput: null, key });
        if (!bought.some(({ _id }) => _id === made.redemption._id)) bought.push(made.redemption);
        return;
      }
      case "fulfil":
      case "refund": {
        const doc = bought.at(-1 - one.nth);
        if (!doc) return;
        await actors.redemptions[one.type](doc, owner);
        expect(decided.has(doc._id), "decided twice").equal(false);
        decided.set(doc._id, one.type === "fulfil" ? "fulfilled" : "refunded");
        return;
      }
      case "bet": {
        const prediction = await open(actors);
        const outcomeId = prediction.outcomes[one.outcome]?.id ?? "";
        await actors.predictions.bet({
          predictionId: prediction._id,
          outcomeId,
          amount: one.amount,
          userId: by,
        });
        return;
      }
      case "resolve":
      case "cancel": {
        const prediction = await open(actors);
        if (one.type === "cancel") await actors.predictions.cancel(prediction._id, owner);
        else await actors.predictions.resolve(prediction._id, prediction.outcomes[0]?.id ?? "", owner);
        return;
      }
      case "delete":
        await actors.rewards.delete(reward._id, owner);
        reward = await actors.rewards.create({ stream, offer: offer(), by: owner });
        return;
      case "claim":
        await actors.points.claim({ userId: viewers[0] ?? "", channelUserId: owner });
        earned += 50;
        return;
      case "watch": {
        const watched = { userId: by, channelUserId: owner, streamId: stream._id, window: one.window };
        if ((await actors.points.earnPresence(watched)).applied) earned += 10;
      }
    }
  }

  const open = async (actors: Actors) =>
    (await actors.predictions.openOf(stream._id)) ??
    (await actors.predictions.open({
      ...{ stream, title: "?", outcomes: [{ title: "yes" }, { title: "no" }] },
      ...{ durationSeconds: 600, by: owner },
    }));

  async function note(one: Act, actors: Actors): Promise<void> {
    const name = await take(one, actors).then(
      () => one.type,
      (err: unknown) => {
        if (err instanceof ServiceError && err.code !== "unavailable") return err.code;
        throw err;
      },
    );
    figures[name] = (figures[name] ?? 0) + 1;
    figures.acts = (figures.acts ?? 0) + 1;
  }

  for (const { acts, passMs } of steps) {
    await Promise.all(acts.map((one, i) => note(one, hosts[i % hosts.length] ?? world)));
    await world.pass(passMs);
    if (passMs >= 30 * DAY_MS) await world.redemptions.refundForgotten();
  }
  const left = await world.predictions.openOf(stream._id);
  if (left) await world.predictions.cancel(left._id, owner);
  await settle(world, hosts);

  const { redemptions } = await expectSoundLedger(db, owner);
  expect(redemptions, "redemptions that were answered").equal(bought.length);
  const docs = await db.collection<RedemptionDoc>("redemptions").find({ channelUserId: owner }).toArray();
  for (const { _id, status } of docs) if (decided.has(_id)) expect(status).equal(decided.get(_id));
  const spent = docs.reduce(
    (sum, { status, reward: { cost } }) => sum + (status === "refunded" ? 0 : cost),
    0,
  );
  const accounts = await db.collection<BalanceDoc>("balances").find({ channelUserId: owner }).toArray();
  const points = accounts.reduce((sum, { balance }) => sum + balance, 0);
  expect(points + spent, "points that were earned").equal(earned);
  await expectAgreement(db);
  await expectNothingLeftOver(db);
}

/** What the silent one left is taken over by the relay. */
async function settle(world: World, hosts: readonly Actors[]): Promise<void> {
  for (let quiet = 0; quiet < 2; ) {
    for (const { host } of hosts) await host.idle();
    world.move(6_000);
    const done = (await world.sweeper.tick()) + (await world.relay.tick());
    await world.settled();
    quiet = done === 0 ? quiet + 1 : 0;
  }
}
