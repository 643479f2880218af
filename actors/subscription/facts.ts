import Type from "typebox";
import { type CommandOf, commandsOf, count, orNull, word } from "../host/schemas.ts";

/** 1, 2 or 3. */
export const tier = Type.Integer({ minimum: 1, maximum: 3 });

/** When it happened by its reporter's clock, Unix ms, and what makes it the same when it is reported again. */
const common = { id: word, happenedAt: count };
/** The platform's own name of what it bills; null where the report names none. */
const platformId = orNull(word);

/** What can happen to a subscription; each kind is a command of the machine. */
export const FACTS = {
  /** A checkout was paid: the first begins the subscription, later ones extend it. */
  paid: {
    ...common,
    /** A gift runs 30 days and is never billed again. */
    isGift: Type.Boolean(),
    giftedBy: orNull(word),
    tier,
    priceCents: count,
    platformId,
  },
  renewed: { ...common, amountCents: count, platformId },
  paymentFailed: { ...common, platformId },
  /** The platform won't renew it. */
  stopped: { ...common, platformId },
  /** The platform has ended it. */
  ended: { ...common, platformId },
  /** What the subscriber asks for here. */
  cancel: common,
  resume: common,
  /** A cheaper tier from the next renewal on; the present tier takes that back. */
  downgrade: { ...common, tier, priceCents: count },
} as const;

const schemas = commandsOf(FACTS);
const { paid, renewed, paymentFailed, stopped, ended, cancel, resume, downgrade } = schemas;
export const fact = Type.Union([paid, renewed, paymentFailed, stopped, ended, cancel, resume, downgrade]);

export type Fact = CommandOf<typeof schemas>;
export type FactOf<Kind extends Fact["type"]> = Extract<Fact, { type: Kind }>;
export { schemas as factSchemas };
