import DataLoader from "dataloader";
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { ApiTokensStore } from "../../../store/mongo/accounts/api-tokens.ts";
import type { Sessions } from "../../../store/mongo/accounts/sessions.ts";
import type { Users } from "../../../store/mongo/accounts/users.ts";
import type { SignedIn } from "./caller.ts";

/** A caller's credential: a session, or a personal API token if it has a grant. */
export type HeldCredential = Pick<SignedIn, "userId" | "sessionId" | "grant">;

/** How long a worker relies on what it has read of a session or token, and of its account. */
export const VERIFIED_MS = MINUTE_MS;
/** Beyond this many per worker, the oldest are read again earlier. */
const MAX_VERIFIED = 100_000;
const MAX_BATCH = 500;

type Deps = {
  sessions: Pick<Sessions, "standings">;
  tokens: Pick<ApiTokensStore, "standings">;
  users: Pick<Users, "statuses">;
  clock: Clock;
};

/**
 * Checks that credentials exist in the database. A valid signature doesn't prove it: the database may have been restored from a
 * backup that is older than the session or its account. A worker reads each session when it sees it first, and then at most once
 * a minute; in between, the feed of endings decides (`revocations.ts`). Reads of one turn of the event loop are one command.
 */
export function createVerifiedSessions({ sessions, tokens, users, clock }: Deps) {
  /** When each was read, ms; oldest first. */
  const verified = new Map<string, number>();
  const refusals = new DataLoader(refusalsOf, { cache: false, maxBatchSize: MAX_BATCH });

  async function refusalsOf(held: readonly HeldCredential[]): Promise<(ServiceError | null)[]> {
    const idsOf = (isToken: boolean) => [
      ...new Set(held.filter(({ grant }) => (grant !== null) === isToken).map(({ sessionId }) => sessionId)),
    ];
    const [ofSessions, ofTokens, statuses] = await Promise.all([
      sessions.standings(idsOf(false)),
      tokens.standings(idsOf(true)),
      users.statuses([...new Set(held.map(({ userId }) => userId))]),
    ]);
    const found = new Map([...ofSessions, ...ofTokens].map((one) => [one._id, one]));
    return held.map(({ sessionId, userId }) => {
      const credential = found.get(sessionId);
      const status = statuses.get(userId);
      if (credential?.endReason === "banned" || (credential && status === "banned"))
        return new ServiceError("account_banned");
      const isAlive = credential?.userId === userId && credential.endedAt === null && status === "active";
      return isAlive ? null : new ServiceError("invalid_token");
    });
  }

  function remember(sessionId: string): void {
    verified.delete(sessionId);
    verified.set(sessionId, clock.now());
    if (verified.size <= MAX_VERIFIED) return;
    for (const oldest of verified.keys()) {
      verified.delete(oldest);
      return;
    }
  }

  /** Reads the database. Throws invalid_token, account_banned. */
  async function read(held: HeldCredential): Promise<void> {
    const refusal = await refusals.load(held);
    if (refusal) {
      verified.delete(held.sessionId);
      throw refusal;
    }
    remember(held.sessionId);
  }

  /** Whether it needn't be read, also not `aheadMs` from now. */
  function isVerified(sessionId: string, aheadMs = 0): boolean {
    const passedMs = clock.now() - (verified.get(sessionId) ?? Number.NEGATIVE_INFINITY);
    // Negative: the clock was set back.
    return passedMs >= 0 && passedMs + aheadMs < VERIFIED_MS;
  }

  return {
    isVerified,
    read,

    /** Those that the database refuses, of those whose verification ends within `aheadMs`. Rejects while it is unavailable. */
    async refusedOf<Held extends HeldCredential>(held: Iterable<Held>, aheadMs: number): Promise<Held[]> {
      const due = [...held].filter(({ sessionId }) => !isVerified(sessionId, aheadMs));
      const refused: Held[] = [];
      for (let i = 0; i < due.length; i += MAX_BATCH) {
        const page = due.slice(i, i + MAX_BATCH);
        const answers = await refusals.loadMany(page);
        for (const [n, one] of page.entries()) {
          const answer = answers[n];
          if (answer === null) remember(one.sessionId);
          else if (answer instanceof ServiceError) refused.push(one);
          else throw answer;
        }
      }
      return refused;
    },
  };
}

export type VerifiedSessions = ReturnType<typeof createVerifiedSessions>;
