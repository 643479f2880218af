/**
 * Trending without a sweep: views and likes count half as much for each day that they are old. Instead of letting all sums
 * fall, those of later days weigh more, twice as much a day; the order is the same at every moment, and no score changes
 * unless something happens to its clip. A score is the binary logarithm of that sum, in days since 1970: it never overflows.
 */
import type { Document } from "mongodb";
import { logOfSum } from "./log-sum.ts";

const DAY_MS = 86_400_000;
/** What beside a view counts: being made, and each like. */
const MADE = 1;
const LIKE = 4;

export type Score = number;

const weightOf = (sum: number, at: Date): Score => at.getTime() / DAY_MS + Math.log2(sum);

export const scoreOfNew = (at: Date): Score => weightOf(MADE, at);
export const weightOfLike = (at: Date): Score => weightOf(LIKE, at);
export const weightOfViews = (count: number, at: Date): Score => weightOf(count, at);

/** The document's `score` with that much more. */
export const scoreWith = (weight: Score): Document => logOfSum("$score", weight);

/** Less than this the sums of doubles don't tell apart. */
const SAME = 1e-6;

/** With that much less, so that liking again and again raises nothing; never below what a new one has. */
export function scoreWithout(weight: Score): Document {
  const left = { $subtract: [1, { $pow: [2, { $subtract: [weight, "$score"] }] }] };
  const ofNew = { $divide: [{ $toLong: "$createdAt" }, DAY_MS] };
  const isAll = { $lte: [{ $subtract: ["$score", weight] }, SAME] };
  return { $max: [ofNew, { $cond: [isAll, ofNew, { $add: ["$score", { $log: [left, 2] }] }] }] };
}
