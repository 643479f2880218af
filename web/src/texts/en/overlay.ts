import { formatMoney } from "../../formats/money.ts";
import { formatNumber } from "../../formats/numbers.ts";

const others = (count: number): string => (count === 1 ? "1 other" : `${formatNumber(count)} others`);
const subscriptions = (count: number): string =>
  count === 1 ? "a subscription" : `${formatNumber(count)} subscriptions`;
const viewers = (count: number): string => (count === 1 ? "1 viewer" : `${formatNumber(count)} viewers`);

/** What viewers of a broadcast read on it. */
export const overlayTexts = {
  titles: { chat: "Chat", alerts: "Alerts" },
  anonymous: "Someone",
  someone: "Someone",
  /** After a name. */
  said: {
    follow: "followed",
    follows: (more: number) => `and ${others(more)} followed`,
    subscription: (tier: number) => `subscribed (Tier ${tier})`,
    /** Before the receiver's name. */
    gift: (tier: number) => `gifted a Tier ${tier} subscription to`,
    gifts: (count: number, tier: number) => `gifted ${subscriptions(count)} (Tier ${tier})`,
    tip: (cents: number, currency: string) => `tipped ${formatMoney(cents, currency)}`,
    raid: (count: number) => `raids with ${viewers(count)}`,
  },
  prediction: {
    title: "Prediction",
    closesIn: "Closes in",
    closing: "Closing …",
    locked: "Locked",
    cancelled: "Cancelled. Points go back.",
    won: "Winner",
    points: (points: number) => (points === 1 ? "1 point" : `${formatNumber(points)} points`),
    odds: (odds: number) => `1:${formatNumber(odds, 2)}`,
    percent: (percent: number) => `${formatNumber(percent)}%`,
  },
  poll: {
    title: "Poll",
    endsIn: "Ends in",
    ended: "Final result",
    votes: (votes: number) => (votes === 1 ? "1 vote" : `${formatNumber(votes)} votes`),
  },
  /** In a preview. */
  sample: {
    lines: ["Hello everyone!", "What a save", "Is this the new map?", "GG, see you tomorrow"],
    prediction: "Will they beat the boss?",
    poll: "Which game next?",
    yes: "Yes",
    no: "No",
    message: "Great stream, keep going!",
  },
};
