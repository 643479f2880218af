import { newId } from "../../store/ids.ts";
import type { PlatformCallDoc } from "../../store/mongo/platform-calls.ts";

/** What a payment platform is told after a commit; `platformId` is its own name of what it bills. */
export type PlatformCall =
  /** No further renewal. */
  | { kind: "stop"; platformId: string }
  /** Renewals again. */
  | { kind: "resume"; platformId: string }
  /** Over at once: something else is billed instead, or nothing was paid. */
  | { kind: "end"; platformId: string }
  /** Another price from the next renewal on. */
  | { kind: "changePlan"; platformId: string; tier: number; priceCents: number }
  /** The next renewal comes at that time, Unix ms. */
  | { kind: "postpone"; platformId: string; until: number }
  | { kind: "refund"; platformId: string; amountCents: number };

/** The rows of these calls; those about one subject are made in the order of their ids. */
export const platformCallDocs = (
  subject: string,
  calls: readonly PlatformCall[],
  now: Date,
): PlatformCallDoc<PlatformCall>[] =>
  calls.map((call) => ({
    _id: newId(),
    ...{ subject, call, createdAt: now, dueAt: now, failures: 0, parkedAt: null },
  }));
