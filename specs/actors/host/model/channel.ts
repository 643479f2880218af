import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import type { PlatformCallDoc } from "../../../../store/mongo/monetization/platform-calls.ts";
import type { TipDoc } from "../../../../store/mongo/monetization/tips.ts";
import type { BalanceDoc } from "../../../../store/mongo/points/balances.ts";
import type { LedgerDoc } from "../../../../store/mongo/points/ledger.ts";
import type { PredictionDoc } from "../../../../store/mongo/points/predictions.ts";
import type { RedemptionDoc } from "../../../../store/mongo/points/redemptions.ts";
import { expectSoundLedger } from "../invariants.ts";
import type { World } from "../world.ts";
import { type Act, VIEWERS } from "./acts.ts";
import type { Process } from "./failing-process.ts";

const FORTUNE = 500;
const [PRESENCE, BONUS, FOLLOW] = [10, 50, 300];

export type Channel = Awaited<ReturnType<typeof openChannel>>;

/** Sends a request to a process, and again to another one when the first gave no answer. */
export type Asking = (process: Process, isRepeat: boolean) => Promise<void>;

/** One channel with viewers and all answers: in the end the stores have to agree with them. */
export async function openChannel(world: World) {
  const { db } = world.mongo;
  const stream = await world.stream();
  const viewers = await Promise.all(Array.from({ length: VIEWERS }, () => world.user()));
  for (const id of viewers) await world.give(id, stream, FORTUNE);
  const owner = stream.userId;
  const bought = new Map<string, RedemptionDoc>();
  const decided = new Map<string, { status: string; key: string }>();
  /** Keys of earnings, with the points of each. */
  const earned = new Map(viewers.map((id) => [`fortune of ${id}`, FORTUNE]));
  const staked = new Map<string, number>();
  const tips = new Map<string, { amount: number; refunds: Set<"requested" | "reported"> }>();

  const offer = () => ({
    title: newId(),
    description: null,
    cost: 40,
    isEnabled: true,
    isPaused: false,
    requiresInput: false,
    skipQueue: false,
    cooldownSeconds: null,
    maxPerStream: 12,
    maxPerUserPerStream: 4,
  });
  let reward = await world.rewards.create({ stream, offer: offer(), by: owner });

  /** On the open prediction, or a new one; a retry uses the same one. */
  function onPrediction(ask: (process: Process, prediction: PredictionDoc) => Promise<unknown>): Asking {
    let known: PredictionDoc | null = null;
    return async (process) => {
      known ??=
        (await process.predictions.openOf(stream._id)) ??
        (await process.predictions.open({
          stream,
          title: "?",
          outcomes: [{ title: "yes" }, { title: "no" }],
          durationSeconds: 600,
          by: owner,
        }));
      await ask(process, known);
    };
  }

  return {
    owner,
    streamId: stream._id,

    /** Each has a key of its own, so that it may be retried; null when there is no target. */
    plan(act: Act): Asking | null {
      const key = newId();
      const by = "viewer" in act ? (viewers[act.viewer] ?? "") : owner;
      switch (act.type) {
        case "redeem": {
          const { _id: rewardId } = reward;
          const own = act.key === null ? key : `${rewardId}:${act.key}`;
          return async ({ rewards }) => {
            const { redemption } = await rewards.redeem({ rewardId, userId: by, userInput: null, key: own });
            bought.set(redemption._id, redemption);
          };
        }
        case "fulfil":
        case "refund": {
          const doc = [...bought.values()].at(-1 - act.nth);
          if (!doc) return null;
          return async ({ redemptions }) => {
            await redemptions[act.type](doc, owner, key);
            // A request whose process died may get its answer after all, beside that of the retry.
            expect(decided.get(doc._id)?.key ?? key, "decided twice").equal(key);
            decided.set(doc._id, { status: act.type === "fulfil" ? "fulfilled" : "refunded", key });
          };
        }
        case "bet":
          return onPrediction(async ({ predictions }, { _id: predictionId, outcomes }) => {
            const outcomeId = outcomes[act.outcome]?.id ?? "";
            await predictions.bet({ predictionId, outcomeId, amount: act.amount, userId: by, key });
            staked.set(key, act.amount);
          });
        case "resolve":
          return onPrediction(({ predictions }, { _id, outcomes }) =>
            predictions.resolve(_id, outcomes[0]?.id ?? "", owner, key),
          );
        case "cancel":
          return onPrediction(({ predictions }, { _id }) => predictions.cancel(_id, owner, key));
        case "delete": {
          const { _id } = reward;
          const next = offer();
          return async ({ rewards }, isRepeat) => {
            await rewards.delete(_id, owner).catch((err: unknown) => {
              const isGone = isRepeat && err instanceof ServiceError && err.code === "not_found";
              if (!isGone) throw err;
            });
            reward = await rewards.create({ stream, offer: next, by: owner, key });
          };
        }
        case "claim":
          return async ({ points }) => {
            await points.claim({ userId: by, channelUserId: owner, key });
            earned.set(key, BONUS);
          };
        case "follow":
          return async ({ points }) => {
            await points.earnFollow(by, owner);
            earned.set(`follow of ${by}`, FOLLOW);
          };
        case "watch":
          return async ({ points }) => {
            const { window } = act;
            await points.earnPresence({ userId: by, channelUserId: owner, streamId: stream._id, window });
            earned.set(`${by} in ${window}`, PRESENCE);
          };
        case "tip": {
          const { amount } = act;
          return async ({ paying }) => {
            await paying.beginTip(key, { fromUserId: by, toUserId: owner }, amount);
            if (!tips.has(key)) tips.set(key, { amount, refunds: new Set() });
            await paying.tipPaid(key, amount);
          };
        }
        case "tip refund":
        case "refund reported": {
          const [id, tip] = [...tips].at(-1 - act.nth) ?? [];
          if (!id || !tip) return null;
          return async ({ paying }) => {
            if (act.type === "tip refund") await paying.refundTip(id, { by: owner, key });
            else await paying.tipRefunded(id);
            tip.refunds.add(act.type === "tip refund" ? "requested" : "reported");
          };
        }
      }
    },

    /** Checks that everything acknowledged exists once, nothing else does, and no point or cent is lost or created. */
    async expectConserved(): Promise<void> {
      const { redemptions } = await expectSoundLedger(db, owner);
      expect(redemptions, "redemptions that were answered").equal(bought.size);
      const docs = await db.collection<RedemptionDoc>("redemptions").find({ channelUserId: owner }).toArray();
      for (const { _id, status } of docs)
        expect(status, "as it was decided").equal(decided.get(_id)?.status ?? status);
      const kept = docs.filter(({ status }) => status !== "refunded");
      const spent = sum(kept.map(({ reward: { cost } }) => cost));
      const accounts = await db.collection<BalanceDoc>("balances").find({ channelUserId: owner }).toArray();
      const points = sum(accounts.map(({ balance }) => balance));
      expect(points + spent, "points that were earned").equal(sum([...earned.values()]));
      const stakes = await db
        .collection<LedgerDoc>("ledger")
        .find({ channelUserId: owner, reason: "bet" })
        .toArray();
      const taken = stakes.map(({ delta }) => -delta).sort();
      expect(taken, "stakes that were answered").deep.equal([...staked.values()].sort());
      await expectTips();
    },
  };

  /**
   * Checks that each tip was paid once and refunded at most once, and that the platform received exactly the refunds made
   * here.
   */
  async function expectTips(): Promise<void> {
    const docs = await db.collection<TipDoc>("tips").find({ toUserId: owner }).toArray();
    const found = docs.map(({ _id, amountCents, status }) => [_id, amountCents, status]);
    const due = [...tips].map(([id, { amount, refunds }]) => {
      return [id, amount, refunds.size > 0 ? "refunded" : "completed"];
    });
    expect(found.sort(), "tips").deep.equal(due.sort());
    const subjects = docs.map(({ _id }) => `tip:${_id}`);
    const calls = await db
      .collection<PlatformCallDoc>("platform_calls")
      .find({ subject: { $in: subjects } })
      .toArray();
    const given = calls.map(({ subject, call }) => [
      subject,
      call.kind === "refund" ? call.amountCents : null,
    ]);
    const requested = [...tips].filter(([, { refunds }]) => refunds.has("requested"));
    expect(given.sort(), "refunds that the platform receives").deep.equal(
      requested.map(([id, { amount }]) => [`tip:${id}`, amount]).sort(),
    );
    const roomEvents = world.room.filter(({ streamId }) => streamId === stream._id);
    const received = roomEvents.filter(({ type }) => type === "tip.received");
    const announced = new Set(received.map(({ data }) => String(Object(data).tip_id)));
    const unpaid = [...tips].filter(([id, { refunds }]) => !refunds.has("reported") && !announced.has(id));
    expect(unpaid, "tips that were not announced to the room").deep.equal([]);
  }
}

const sum = (amounts: number[]) => amounts.reduce((all, one) => all + one, 0);
