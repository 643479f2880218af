import Type from "typebox";
import { type CommandOf, commandsOf, count, identifier, orNull } from "../../host/schemas.ts";

/** 1, 2 or 3. */
export const tier = Type.Integer({ minimum: 1, maximum: 3 });

/** `happenedAt` is by the reporter's clock, Unix ms; `id` is the key by which repeated reports are deduplicated. */
const common = { id: identifier, happenedAt: count };
/** The platform's own id of what it bills; null when the report has none. */
const platformId = orNull(identifier);

/** Everything that can happen to a subscription; each kind is a command of the machine. */
export const FACTS = {
  /** A checkout was paid for: the first one begins the subscription, later ones extend it. */
  paid: {
    ...common,
    /** A gift runs 30 days and is never billed again. */
    isGift: Type.Boolean(),
    giftedBy: orNull(identifier),
    tier,
    priceCents: count,
    platformId,
  },
  renewed: { ...common, amountCents: count, platformId },
  paymentFailed: { ...common, platformId },
  /** The platform won't renew it. */
  stopped: { ...common, platformId },
  /** The platform renews it again: its cancellation was taken back there. */
  resumed: { ...common, platformId },
  /** The platform has ended it. */
  ended: { ...common, platformId },
  /** Requests of the subscriber. */
  cancel: common,
  resume: common,
  /** Changes to a cheaper tier at the next renewal; the present tier cancels such a change. */
  downgrade: { ...common, tier, priceCents: count },
} as const;

const schemas = commandsOf(FACTS);
const { paid, renewed, paymentFailed, stopped, resumed, ended, cancel, resume, downgrade } = schemas;
export const fact = Type.Union([
  paid,
  renewed,
  paymentFailed,
  stopped,
  resumed,
  ended,
  cancel,
  resume,
  downgrade,
]);

export type Fact = CommandOf<typeof schemas>;
export type FactOf<Kind extends Fact["type"]> = Extract<Fact, { type: Kind }>;
export { schemas as factSchemas };
