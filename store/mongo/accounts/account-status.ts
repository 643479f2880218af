import type { UserDoc } from "./users.ts";

/**
 * Whether an account is banned or deleted, so that what belongs to it isn't there for others. Not so for a missing one: it is erased
 * last, after its channel, and was closed long before.
 */
export const isGone = (account: Pick<UserDoc, "status"> | null): boolean =>
  account !== null && account.status !== "active";
