/**
 * What we read of Stripe's objects, in every form that API versions give them: an endpoint's version is set at Stripe, and events that
 * were created before a change keep their form. Fields that aren't here may be anything.
 */
import Type from "typebox";
import { orNull, type Static, validatorOf } from "../../host/schemas.ts";
import { HookUnreadable, OUR_ID } from "./platform.ts";

const open = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object(properties, { additionalProperties: true });
const optional = <S extends Parameters<typeof orNull>[0]>(schema: S) => Type.Optional(orNull(schema));

/** An id, or the whole object. */
const reference = Type.Union([Type.String(), open({ id: Type.String() })]);
const metadata = orNull(Type.Record(Type.String(), Type.String()));
const details = open({ metadata: Type.Optional(metadata), subscription: optional(reference) });

export const EVENT = open({
  id: Type.String({ minLength: 1 }),
  type: Type.String(),
  created: Type.Integer({ minimum: 0 }),
  data: open({ object: Type.Object({}, { additionalProperties: true }) }),
});

export const SESSION = open({ payment_status: Type.String(), metadata: Type.Optional(metadata) });
export const PAID_SESSION = open({
  amount_total: Type.Integer({ minimum: 0 }),
  currency: Type.String(),
  subscription: optional(reference),
  payment_intent: optional(reference),
});

export const INVOICE = open({
  billing_reason: orNull(Type.String()),
  amount_paid: Type.Integer({ minimum: 0 }),
  currency: Type.String(),
  parent: optional(open({ subscription_details: optional(details) })),
  // Before 2025-03-31.
  subscription: optional(reference),
  subscription_details: optional(details),
  lines: optional(open({ data: Type.Array(open({ metadata: Type.Optional(metadata) })) })),
});

const period = { current_period_end: Type.Optional(Type.Integer()) };
const schedule = {
  cancel_at_period_end: Type.Optional(Type.Boolean()),
  cancel_at: optional(Type.Integer()),
  // Before 2025-03-31 the subscription's own, since then that of its items.
  ...period,
  items: optional(open({ data: Type.Array(open(period)) })),
};
export const SUBSCRIPTION = open({ id: Type.String({ minLength: 1 }), metadata });
export const SCHEDULE = open({ ...schedule, cancel_at_period_end: Type.Boolean() });
/** The fields that changed, with their old values. */
export const UPDATE = open({ previous_attributes: open(schedule) });

export const CHARGE = open({ refunded: Type.Boolean(), metadata });
export const REVERSAL = open({ amount: Type.Integer({ minimum: 0 }), payment_intent: optional(reference) });

type Schema = Parameters<typeof orNull>[0];

/** Throws `HookUnreadable` for a value of another form. */
export function readAs<S extends Schema>(schema: S, what: string, value: unknown): Static<S> {
  if (isOf(schema, value)) return value;
  const problems = (validatorOf(schema).errors ?? []).map(
    ({ instancePath, message }) => `${instancePath || "/"} ${message}`,
  );
  throw new HookUnreadable(`${what}: ${problems.join(", ")}`);
}

export const isOf = <S extends Schema>(schema: S, value: unknown): value is Static<S> =>
  validatorOf(schema)(value) === true;

export type Metadata = Static<typeof metadata>;

const ourId = Type.Optional(OUR_ID);
const OUR_IDS = open({ checkout_id: ourId, subscription_id: ourId, tip_id: ourId });

/**
 * Our ids in an object's metadata. None if one of them hasn't the form of ours: another system at the same Stripe account may use the same
 * names, and its events reach our endpoint, too.
 */
export const ourIdsIn = (metadata: Metadata | undefined): Static<typeof OUR_IDS> =>
  isOf(OUR_IDS, metadata) ? metadata : {};

type Reference = Static<typeof reference>;

export const idOf = (named: Reference | null | undefined): string | null =>
  typeof named === "string" ? named : (named?.id ?? null);
