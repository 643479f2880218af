import type { Document } from "mongodb";

/** An expression for log2(2^one + 2^other), which doesn't overflow. */
export function logOfSum(one: unknown, other: unknown): Document {
  const parts = [one, other];
  const apart = { $subtract: [{ $min: parts }, { $max: parts }] };
  return { $add: [{ $max: parts }, { $log: [{ $add: [1, { $pow: [2, apart] }] }, 2] }] };
}
