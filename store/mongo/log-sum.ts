import type { Document } from "mongodb";

/** The binary logarithm of a sum whose two parts are known by theirs, as an expression: it never overflows. */
export function logOfSum(one: unknown, other: unknown): Document {
  const parts = [one, other];
  const apart = { $subtract: [{ $min: parts }, { $max: parts }] };
  return { $add: [{ $max: parts }, { $log: [{ $add: [1, { $pow: [2, apart] }] }, 2] }] };
}
