import { standingAt, withFact } from "../../../../actors/monetization/subscription/fact-log.ts";
import type { Fact } from "../../../../actors/monetization/subscription/facts.ts";
import {
  type SubscriptionContext,
  subscriptionMachine,
} from "../../../../actors/monetization/subscription/machine.ts";
import { describeTable, REFUSED } from "../../host/state-table.ts";

/** The table's events come at 1 s; what happened before lies a month and more back. */
const NOW = 1_000;
const DAY = 86_400_000;

const paid = (id: string, happenedAt: number): Fact => ({
  type: "paid",
  id,
  happenedAt,
  isGift: false,
  giftedBy: null,
  tier: 2,
  priceCents: 999,
  platformId: "p",
});
const reported = (type: "paymentFailed" | "stopped" | "ended", happenedAt: number): Fact => ({
  type,
  id: `${type} then`,
  happenedAt,
  platformId: "p",
});

const STARTED = NOW - 10 * DAY;
const LONG_AGO = NOW - 33 * DAY;
const RECORDS: Record<string, Fact[]> = {
  active: [paid("a", STARTED)],
  past_due: [paid("a", LONG_AGO), reported("paymentFailed", NOW - 2 * DAY)],
  cancelled: [paid("a", STARTED), reported("stopped", NOW - DAY)],
  expired: [paid("a", STARTED), reported("ended", NOW - DAY)],
};

function contextOf(path: string): SubscriptionContext {
  const facts = RECORDS[path] ?? [];
  const kept = facts.reduce((so, fact) => withFact(so, fact), { base: null, facts: [] } as Parameters<
    typeof withFact
  >[0]);
  return { subscriberId: "s", channelUserId: "c", ...kept, standing: standingAt(kept, NOW), armedAt: NOW };
}

const common = { happenedAt: NOW };
const due = (state: string) => `xstate.after.untilDue.subscription.${state}`;
const events = {
  "paid again": {
    type: "paid",
    ...common,
    id: "b",
    isGift: false,
    giftedBy: null,
    tier: 2,
    priceCents: 999,
    platformId: "q",
  },
  "paid, known already": { ...paid("a", STARTED) },
  gifted: {
    type: "paid",
    ...common,
    id: "g",
    isGift: true,
    giftedBy: "u",
    tier: 1,
    priceCents: 499,
    platformId: null,
  },
  renewed: { type: "renewed", ...common, id: "r", amountCents: 999, platformId: "p" },
  "renewed for another amount": { type: "renewed", ...common, id: "r", amountCents: 998, platformId: "p" },
  "renewed before the end": {
    type: "renewed",
    id: "r",
    happenedAt: NOW - 2 * DAY,
    amountCents: 999,
    platformId: "p",
  },
  paymentFailed: { type: "paymentFailed", ...common, id: "f", platformId: "p" },
  stopped: { type: "stopped", ...common, id: "c", platformId: "p" },
  resumed: { type: "resumed", ...common, id: "u", platformId: "p" },
  ended: { type: "ended", ...common, id: "e", platformId: "p" },
  "ended, of what isn't billed any more": { type: "ended", ...common, id: "e", platformId: "old" },
  cancel: { type: "cancel", ...common, id: "x" },
  resume: { type: "resume", ...common, id: "y" },
  downgrade: { type: "downgrade", ...common, id: "z", tier: 1, priceCents: 499 },
  [due("active")]: { type: due("active") },
  [due("past_due")]: { type: due("past_due") },
  [due("cancelled")]: { type: due("cancelled") },
};

const all = (outcome: string) => Object.fromEntries(Object.keys(events).map((name) => [name, outcome]));
const to = (status: string) => `${status} book`;
/** What the interface's users may ask in no other state, and other states' timers. */
const refusals = {
  cancel: REFUSED,
  resume: REFUSED,
  downgrade: REFUSED,
  [due("active")]: REFUSED,
  [due("past_due")]: REFUSED,
  [due("cancelled")]: REFUSED,
};

describe("the subscription machine", () => {
  describeTable({
    machine: subscriptionMachine,
    contextOf,
    events,
    outcomes: {
      active: {
        ...all(to("active")),
        ...refusals,
        paymentFailed: to("past_due"),
        stopped: to("cancelled"),
        ended: to("expired"),
        cancel: to("cancelled"),
        downgrade: to("active"),
        // Early: it is set anew.
        [due("active")]: to("active"),
      },
      past_due: {
        ...all(to("active")),
        ...refusals,
        "paid, known already": to("past_due"),
        "renewed for another amount": to("past_due"),
        paymentFailed: to("past_due"),
        "ended, of what isn't billed any more": to("past_due"),
        resumed: to("past_due"),
        stopped: to("expired"),
        ended: to("expired"),
        cancel: to("expired"),
        [due("past_due")]: to("past_due"),
      },
      cancelled: {
        ...all(to("cancelled")),
        ...refusals,
        "paid again": to("active"),
        resumed: to("active"),
        resume: to("active"),
        [due("cancelled")]: to("cancelled"),
      },
      expired: { ...all(to("expired")), ...refusals },
    },
  });
});
