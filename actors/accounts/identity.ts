import type { Accounts } from "./accounts.ts";

/** The parts in one object, until every door takes the parts that it needs. */
export function identityOf(parts: Accounts) {
  const { signIn, recovery, sessions, twoFactor, tokens, apiTokens, profile, directory, accountBans, staff } =
    parts;
  const { requireActive: requireSession, list, end: endSession, endOthers: endOtherSessions } = sessions;
  return {
    ...signIn,
    ...recovery,
    ...sessions,
    requireSession,
    sessions: list,
    endSession,
    endOtherSessions,
    twoFactor,
    stepUp: twoFactor.stepUp,
    requireFresh: twoFactor.requireFresh,
    ownerOf: twoFactor.ownerOf,
    ...tokens,
    apiTokens,
    ...profile,
    ...directory,
    ...accountBans,
    ...staff,
    start: parts.start,
    stop: parts.stop,
  };
}

export type Identity = ReturnType<typeof identityOf>;
