import { counted } from "../counted.ts";

/** The frame of all staff pages, and what several of them say. */
export const staffFrame = {
  waiting: (count: number) => `${count} waiting`,
  twoFactorTitle: "Set up a second factor first",
  twoFactorHint: "Staff see other people's reports and addresses, so they log in with two factors.",
  twoFactorGo: "Go to security settings",
  againTitle: "Log in with your second factor",
  againHint: "This session began without one. Log out and log in again.",
  figures: {
    label: "Queue",
    waiting: (count: number) => `${count} waiting`,
    oldest: (age: string) => `Oldest: ${age}`,
    oldestNow: "Oldest: just now",
    claimed: (count: number) => `${count} in review`,
    decided: (count: number) => `${count} done in 24 hours`,
  },
  ago: (age: string) => `${age} ago`,
  now: "just now",
  refresh: "Refresh",
  any: "Any",
  claim: {
    start: "Start review",
    stop: "Stop review",
    yours: (time: string) => `You are reviewing this until ${time}.`,
    others: (name: string, time: string) => `${name} is reviewing this until ${time}.`,
    none: "No one is reviewing this.",
    by: (name: string) => `${name} is reviewing`,
    byYou: "You are reviewing",
    over: "Your review has ended. Start it again.",
    taken: "Another staff member is reviewing this now. Pick another one.",
    decided: "This has been decided already.",
    decidedByOther: "Another staff member has decided this already.",
    decidedBefore: "Your first try has decided this. See the case.",
  },
  goneUser: "A deleted account",
  reportsOf: (count: number) => counted(count, "report", "reports"),
};
