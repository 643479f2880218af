/**
 * Trending without a sweep: views and likes lose half their weight per day. Instead of decaying all sums, later events weigh
 * more, twice as much per day; the order is the same at every moment, and a score changes only when something happens to its
 * clip. A score is log2 of that sum, in days since 1970, so that it never overflows.
 */

import type { Document } from "mongodb";
import { DAY_MS } from "../../../base/durations.ts";
import { logOfSum } from "../driver/log-sum.ts";

/** Weights relative to a view: of a clip's creation, and of each like. */
const MADE = 1;
const LIKE = 4;

export type Score = number;

const weightOf = (sum: number, at: Date): Score => at.getTime() / DAY_MS + Math.log2(sum);

export const scoreOfNew = (at: Date): Score => weightOf(MADE, at);
export const weightOfLike = (at: Date): Score => weightOf(LIKE, at);
export const weightOfViews = (count: number, at: Date): Score => weightOf(count, at);

/** The document's `score` plus that weight. */
export const scoreWith = (weight: Score): Document => logOfSum("$score", weight);

/** Smaller differences are lost in the precision of doubles. */
const EPSILON = 1e-6;

/** The score minus that weight, so that repeated liking and unliking gains nothing; never less than that of a new clip. */
export function scoreWithout(weight: Score): Document {
  const left = { $subtract: [1, { $pow: [2, { $subtract: [weight, "$score"] }] }] };
  const ofNew = { $divide: [{ $toLong: "$createdAt" }, DAY_MS] };
  const isAll = { $lte: [{ $subtract: ["$score", weight] }, EPSILON] };
  return { $max: [ofNew, { $cond: [isAll, ofNew, { $add: ["$score", { $log: [left, 2] }] }] }] };
}
