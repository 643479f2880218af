import { formatMoney } from "../../../formats/money.ts";
import { formatCount, formatNumber } from "../../../formats/numbers.ts";

const members = (count: number): string => `${formatCount(count)} ${count === 1 ? "viewer" : "viewers"}`;

/** What happens on one's channel, and the plots of its broadcast. */
export const activity = {
  title: "Activity",
  filter: "Show",
  kinds: {
    all: "All activity",
    follow: "Follows",
    subscription: "Subscriptions",
    gift: "Gifts",
    tip: "Tips",
    raid: "Raids",
    host: "Hosts",
    redemption: "Redemptions",
  },
  empty: "Nothing has happened yet.",
  emptyKind: "Nothing of this kind has happened yet.",
  someone: "Someone",
  anonymous: "Someone anonymous",
  /** After the name. */
  said: {
    follow: "followed",
    subscription: (tier: number) => `subscribed at tier ${tier}`,
    gift: (tier: number) => `gifted a tier ${tier} subscription to`,
    tip: (amount: number, currency: string) => `tipped ${formatMoney(amount, currency)}`,
    raid: (count: number) => `raided with ${members(count)}`,
    host: "hosts you",
    redemption: "redeemed",
  },
  points: (count: number) => `${formatNumber(count)} points`,
};

export const plots = {
  asTable: "Show as table",
  noValues: "No figures yet",
  none: "none",
  explore: "Use the arrow keys to read single values.",
  /** One value, with its time. */
  at: (value: string, time: string) => `${time}: ${value}`,
};

export const broadcastPlots = {
  title: "This stream",
  lastTitle: "Last stream",
  empty: "Your first stream shows here minute by minute.",
  time: "Time",
  ended: (date: string) => `Ended ${date}`,
  viewers: { title: "Viewers", sum: (peak: string, now: string) => `${now} now, ${peak} at most` },
  viewersThen: (peak: string) => `${peak} at most`,
  messages: { title: "Chat messages a minute", sum: (total: string) => `${total} in total` },
  follows: { title: "New followers", sum: (total: string) => `${total} in total` },
  subscriptions: { title: "New subscriptions", sum: (total: string) => `${total} in total` },
  tips: { title: "Tips", sum: (total: string) => `${total} in total` },
};
