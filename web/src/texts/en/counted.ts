import { formatNumber } from "../../formats/numbers.ts";

/** A number with its noun. */
export const counted = (count: number, one: string, many: string): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;
