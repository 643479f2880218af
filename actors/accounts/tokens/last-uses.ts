import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import type { Log } from "../../../base/log.ts";
import type { ApiTokensStore, TokenUse } from "../../../store/mongo/accounts/api-tokens.ts";

const WRITE_MS = 2_000;
/** Minimum time between two writes of one token. */
const MIN_INTERVAL_MS = MINUTE_MS;
/** Tokens that this worker remembers; beyond that a use isn't recorded, but a later one may be. */
const MAX_TOKENS = 10_000;

/**
 * Records when tokens were last used. Written in the background some seconds later and at most once a minute per token: within
 * this worker by its memory, across workers by a condition in the write. Failed writes are dropped.
 */
export function createLastUses(deps: { tokens: Pick<ApiTokensStore, "noteUses">; clock: Clock; log: Log }) {
  const { tokens, clock, log } = deps;
  /** When each token was last noted, oldest first. */
  const notedAt = new Map<string, number>();
  let waiting: TokenUse[] = [];
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();

  function evictOld(now: number): void {
    for (const [tokenId, at] of notedAt) {
      if (now - at < MIN_INTERVAL_MS) return;
      notedAt.delete(tokenId);
    }
  }

  async function write(): Promise<void> {
    const uses = waiting;
    [waiting, timer] = [[], null];
    try {
      await tokens.noteUses(uses, MIN_INTERVAL_MS);
    } catch (err) {
      log.warn({ err }, "the last use of tokens couldn't be written");
    }
  }

  return {
    note(tokenId: string): void {
      const now = clock.now();
      evictOld(now);
      if (notedAt.has(tokenId) || notedAt.size >= MAX_TOKENS) return;
      notedAt.set(tokenId, now);
      waiting.push({ tokenId, at: new Date(now) });
      timer ??= setTimeout(() => {
        writing = write();
      }, WRITE_MS).unref();
    },
    /** Drops buffered uses. */
    async stop(): Promise<void> {
      if (timer) clearTimeout(timer);
      await writing;
    },
  };
}
