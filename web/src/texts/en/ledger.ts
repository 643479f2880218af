import { formatNumber } from "../../formats/numbers.ts";

/** Texts of points by channel, and of their history. */
export const ledger = {
  hint: "You earn points by watching, and spend them on rewards and predictions of the same channel.",
  none: "You have no points yet. Follow a channel to earn some.",
  points: (count: number) => `${formatNumber(count)} ${count === 1 ? "point" : "points"}`,
  bonus: (count: number) =>
    `A bonus of ${formatNumber(count)} ${count === 1 ? "point" : "points"} is waiting on the channel's page.`,
  goneChannel: "Deleted channel",
  show: "Show history",
  hide: "Hide history",
  showOf: (channel: string) => `Show history of ${channel}`,
  hideOf: (channel: string) => `Hide history of ${channel}`,
  title: (channel: string) => `Points at ${channel}`,
};
