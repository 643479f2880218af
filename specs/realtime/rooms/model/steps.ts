import fc from "fast-check";
import type { PlainModes, PlainRole, PlainText } from "./plain-admission.ts";

/** Number of senders; the first one is the owner. */
export const SENDERS = 5;
const OWNER = 0;

export type Step =
  | { do: "send"; by: number; text: number }
  /** Many distinct texts in a row. */
  | { do: "burst"; by: number; times: number; everyMs: number }
  | { do: "wait"; ms: number }
  | { do: "modes"; modes: PlainModes }
  | { do: "silence"; whom: number; ms: number | null }
  | { do: "unsilence"; whom: number }
  | { do: "role"; whom: number; role: Exclude<PlainRole, "owner"> };

export const TEXTS: readonly PlainText[] = [
  { text: "hello", same: "hello" },
  { text: "HELLO ", seen: "HELLO", same: "hello" },
  { text: "ｈｅｌｌｏ", seen: "hello", same: "hello" },
  { text: "goodbye", same: "goodbye" },
  { text: ":wave: 👋", same: ":wave: 👋", isEmotes: true },
  { text: "see https://example.com/x", same: "see https://example.com/x", hasLink: true },
  { text: "a blocked word", same: "a blocked word", term: "block" },
  { text: "a held word", same: "a held word", term: "hold" },
];

const sender = fc.nat(SENDERS - 1);
/** The owner can't be moderated. */
const other = fc.integer({ min: OWNER + 1, max: SENDERS - 1 });
const orOff = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 2 });

const modes: fc.Arbitrary<PlainModes> = fc.record({
  enabled: fc.constantFrom(true, true, true, true, false),
  slow: orOff(fc.constantFrom(1, 2, 15, 300)),
  followers: orOff(fc.constantFrom(0, 5, 10, 60)),
  emote: fc.constantFrom(false, false, false, true),
  unique: fc.boolean(),
  shield: fc.constantFrom(false, false, true),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant("send"), by: sender, text: fc.nat(TEXTS.length - 1) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("burst"),
      by: sender,
      times: fc.integer({ min: 15, max: 110 }),
      everyMs: fc.constantFrom(0, 250, 1_000),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("wait"),
      ms: fc.constantFrom(1, 999, 1_000, 5_000, 10_000, 29_999, 30_000, 300_000, 600_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("modes"), modes }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("silence"),
      whom: other,
      ms: orOff(fc.constantFrom(1, 1_000, 30_000)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unsilence"), whom: other }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("role"),
      whom: other,
      role: fc.constantFrom("moderator", "vip", null),
    }),
  },
);

export const steps = fc.array(step, { minLength: 10, maxLength: 60, size: "max" });
