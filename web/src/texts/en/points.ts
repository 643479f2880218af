import { formatCount, formatNumber } from "../../formats/numbers.ts";
import { counted } from "./counted.ts";

const times = (count: number): string => (count === 1 ? "Once" : `${count} times`);
const points = (count: number): string => counted(count, "point", "points");

/** Texts of channel points: the balance, rewards and redemptions. */
const balance = {
  open: (count: number) => `${points(count)}. Rewards and history`,
  loading: "Points are loading",
  title: "Channel points",
  points,
  gained: (delta: number) => `${delta < 0 ? "−" : "+"}${formatNumber(Math.abs(delta))}`,
  claim: (count: number) => `Claim +${formatNumber(count)}`,
  claimed: (count: number) => `You claimed ${points(count)}.`,
  sections: "Rewards and history",
  rewards: "Rewards",
  redemptions: "Redeemed",
  history: "History",
  howTo: "Follow the channel and watch it live to earn points.",
};

const rewards = {
  noRewards: "This channel has no rewards yet.",
  costs: (count: number) => points(count),
  paused: "Paused",
  soldOut: "Sold out for this stream",
  limitReached: "Limit reached for this stream",
  readyIn: "Ready in",
  missing: (count: number) => `${formatCount(count)} more needed`,
  perStream: (count: number) => `${times(count)} per stream`,
  left: (left: number, most: number) => `${left} of ${most} left in this stream`,
  perUser: (count: number) => `${times(count)} per viewer per stream`,
  cooldown: (wait: string) => `Once every ${wait}`,
  input: "Your text",
  inputHint: "Others in the chat can read it.",
  redeem: (cost: number) => `Redeem for ${formatNumber(cost)}`,
  redeemed: (reward: string) => `You redeemed “${reward}”.`,
  waitsNow: (reward: string) => `You redeemed “${reward}”. The channel will fulfil or refund it.`,
  wasFulfilled: (reward: string) => `“${reward}” was fulfilled.`,
  wasRefunded: (reward: string, cost: number) => `“${reward}” was refunded. You have ${points(cost)} back.`,
  noRedemptions: "You haven't redeemed anything here yet.",
  states: { pending: "Waiting", fulfilled: "Fulfilled", refunded: "Refunded" },
  noHistory: "Nothing here yet.",
  reasons: {
    presence: "Watched live",
    follow: "First follow",
    bonus: "Bonus claimed",
    streak: "Watch streak",
    raid: "Joined a raid",
    bet: "Bet on a prediction",
    payout: "Won a prediction",
    redemption: "Redeemed a reward",
    refund: "Refund",
  } as Record<string, string>,
  otherReason: "Other",
  balanceAfter: (count: number) => `Balance: ${formatNumber(count)}`,
};

/** Why something with points was refused, and what to do. */
const refusals = {
  notEnough: (count: number) => `You have only ${points(count)}. Bet less, or watch to earn more.`,
  tooFew: (count: number) => `You have only ${points(count)}. Watch to earn more.`,
  wholeNumber: "Enter a number of points, 1 or more.",
  limit: (most: number, staked: number) =>
    staked === 0
      ? `You can bet at most ${points(most)} on a prediction.`
      : `You can bet at most ${points(most)} on a prediction. You have bet ${points(staked)} already.`,
  closed: "Betting has just closed. Your points are still yours.",
  otherOutcome: (outcome: string) => `You already bet on “${outcome}”. You can only add to that bet.`,
  off: "This reward isn't available right now. Try another one.",
  gone: "This reward doesn't exist any more. Choose another one.",
  streamLimit: "This reward is sold out for this stream. Try again in the next one.",
  userLimit: "You've reached the limit for this stream. Try again in the next one.",
  inputNeeded: "Write something first.",
  term: "Your text has something that isn't allowed here. Change it, then try again.",
};

/** Texts of the card of a prediction. */
export const prediction = {
  title: "Prediction",
  closesIn: "Closes in",
  closing: "Closing …",
  locked: "Betting is closed",
  waiting: "Waiting for the result",
  resolved: (outcome: string) => `“${outcome}” won`,
  cancelled: "Prediction cancelled",
  fold: "Show less",
  unfold: "Show outcomes",
  close: "Close result",
  share: (percent: number) => `${percent}%`,
  pool: (count: number) => `${formatCount(count)} ${count === 1 ? "point" : "points"}`,
  bettors: (count: number) => counted(count, "viewer", "viewers"),
  odds: (odds: number) => `1:${formatNumber(odds, odds < 10 ? 2 : 0)}`,
  oddsOf: (odds: number) => `Each point pays ${formatNumber(odds, 2)}`,
  winner: "Winner",
  ownBet: "Your bet",
  own: (amount: number, outcome: string) => `You bet ${points(amount)} on “${outcome}”.`,
  ownPays: (amount: number) => `At these odds it pays ${points(amount)}.`,
  choose: "Choose an outcome to bet on.",
  betOn: (outcome: string) => `Bet on ${outcome}`,
  amount: "Points",
  some: "10%",
  half: "Half",
  all: "All in",
  pays: (amount: number, outcome: string) => `Pays ${points(amount)} if “${outcome}” wins, at these odds.`,
  paysInAll: (amount: number, outcome: string) =>
    `Your whole bet then pays ${points(amount)} if “${outcome}” wins, at these odds.`,
  bet: "Bet",
  most: (count: number) => `You can bet up to ${points(count)}.`,
  add: "Add points",
  noPoints: "You have no points here yet. Follow the channel and watch it live to earn some.",
  ownChannel: "You can't bet on your own channel.",
  signIn: "Log in to bet.",
  paying: "Points are being paid out …",
  won: (amount: number) => `You won ${points(amount)}.`,
  lost: (amount: number) => `You lost ${points(amount)}.`,
  returned: (amount: number) => `You got your ${points(amount)} back.`,
};

export const channelPoints = { ...balance, ...rewards, ...refusals };
