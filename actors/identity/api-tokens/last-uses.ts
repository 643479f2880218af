import type { Clock } from "../../../store/clock.ts";
import type { Log } from "../../../store/log.ts";
import type { ApiTokensStore, Use } from "../../../store/mongo/api-tokens.ts";

const WRITE_MS = 2_000;
/** Between two writes of one token. */
const APART_MS = 60_000;
/** Tokens that this worker remembers having noted; past it a use isn't noted, the next one may be. */
const MOST = 10_000;

/**
 * When tokens were last used, written some seconds later and once a minute a token, so that no request waits for it: of this
 * worker by what it remembers, of all by a condition in the write. A use that can't be written is left out.
 */
export function createLastUses(deps: { tokens: Pick<ApiTokensStore, "noteUses">; clock: Clock; log: Log }) {
  const { tokens, clock, log } = deps;
  /** When each was last noted, the oldest first. */
  const notedAt = new Map<string, number>();
  let waiting: Use[] = [];
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();

  function forgetOld(now: number): void {
    for (const [tokenId, at] of notedAt) {
      if (now - at < APART_MS) return;
      notedAt.delete(tokenId);
    }
  }

  async function write(): Promise<void> {
    const uses = waiting;
    [waiting, timer] = [[], null];
    try {
      await tokens.noteUses(uses, APART_MS);
    } catch (err) {
      log.warn({ err }, "the last use of tokens couldn't be written");
    }
  }

  return {
    note(tokenId: string): void {
      const now = clock.now();
      forgetOld(now);
      if (notedAt.has(tokenId) || notedAt.size >= MOST) return;
      notedAt.set(tokenId, now);
      waiting.push({ tokenId, at: new Date(now) });
      timer ??= setTimeout(() => {
        writing = write();
      }, WRITE_MS).unref();
    },
    /** What waits is left out. */
    async stop(): Promise<void> {
      if (timer) clearTimeout(timer);
      await writing;
    },
  };
}
