import fc from "fast-check";
import { DAY_MS, HOUR_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import {
  type FollowChangesDoc,
  followChangesCollection,
} from "../../../../store/mongo/channels/follow-changes.ts";
import { type LedgerDoc, ledgerCollection } from "../../../../store/mongo/points/ledger.ts";
import { type RedemptionDoc, redemptionsCollection } from "../../../../store/mongo/points/redemptions.ts";
import { rewardOffer } from "../../../support/reward-offer.ts";
import type { Stores } from "../../../support/stores.ts";

const TITLES = ["Hydrate", "Name the cat", "Song", "VIP for a day", "Post it"];

type Happened = {
  agoMs: number;
  delta: number;
  gained: number;
  lost: number;
  title: string;
  status: RedemptionDoc["status"];
};

/** Times near the boundaries of periods and hours. */
const BORDERS = [7, 30, 90].map((days) =>
  fc.integer({ min: -2 * HOUR_MS, max: 2 * HOUR_MS }).map((ms) => days * DAY_MS + ms),
);

/** An event within the given age, and where it is stored. */
export const happened = (longestMs: number): fc.Arbitrary<Happened> =>
  fc.record({
    agoMs: fc.oneof(fc.nat({ max: longestMs }), ...BORDERS).filter((agoMs) => agoMs <= longestMs),
    delta: fc.integer({ min: -500, max: 500 }).filter((delta) => delta !== 0),
    gained: fc.nat({ max: 2 }),
    lost: fc.nat({ max: 2 }),
    title: fc.constantFrom(...TITLES),
    status: fc.constantFrom("pending", "fulfilled", "refunded"),
  });

export async function writeDown(
  { mongo: { db } }: Stores,
  channelUserId: string,
  all: readonly Happened[],
  now: number,
): Promise<void> {
  if (all.length === 0) return;
  const timeOf = ({ agoMs }: Happened) => new Date(now - agoMs);
  await ledgerCollection.in(db).insertMany(
    all.map((one, seq): LedgerDoc => {
      const own = { _id: newId(), userId: newId(), channelUserId, seq, delta: one.delta };
      return { ...own, reason: "presence", ref: null, balanceAfter: 0, createdAt: timeOf(one) };
    }),
  );
  await followChangesCollection.in(db).insertMany(
    all.map((one): FollowChangesDoc => {
      const { gained, lost } = one;
      return { _id: newId(), channelUserId, createdAt: timeOf(one), gained, lost };
    }),
  );
  await redemptionsCollection
    .in(db)
    .insertMany(
      all.map((one) => redemption(channelUserId, timeOf(one), { title: one.title, status: one.status })),
    );
}

export function redemption(
  channelUserId: string,
  createdAt: Date,
  { title, status }: { title: string; status: RedemptionDoc["status"] },
): RedemptionDoc {
  const rewardId = newId();
  return {
    _id: newId(),
    rewardId,
    channelUserId,
    streamId: newId(),
    redeemerId: newId(),
    reward: {
      _id: rewardId,
      createdAt,
      ...rewardOffer({ title, cost: 5 }),
    },
    userInput: null,
    status,
    createdAt,
    endedAt: null,
    endedBy: null,
  };
}

/** The expected figures, from a full scan. */
export function scanOf(all: readonly Happened[], longestMs: number) {
  const within = all.filter(({ agoMs }) => agoMs <= longestMs);
  const sum = (value: (one: Happened) => number) => within.reduce((total, one) => total + value(one), 0);
  const counts = TITLES.map((title) => ({
    reward_title: title,
    count: within.filter((one) => one.title === title && one.status !== "refunded").length,
  })).filter(({ count }) => count > 0);
  const [gained, lost] = [sum((one) => one.gained), sum((one) => one.lost)];
  return {
    points: {
      earned: sum(({ delta }) => Math.max(delta, 0)),
      spent: sum(({ delta }) => Math.max(-delta, 0)),
      top_redemptions: counts.sort((a, b) => b.count - a.count || (a.reward_title < b.reward_title ? -1 : 1)),
    },
    follows: { gained, lost, net: gained - lost },
  };
}
