import type { LivecoreClient } from "../../clients/typescript/src/index.ts";
import type { Account, Creator } from "./cast.ts";
import type { SendTimes, Tally, Viewer } from "./crowd.ts";
import type { Publishing } from "./publishing.ts";
import type { createProgress } from "./report.ts";

/** What every act of the evening works with. */
export type Stage = {
  /** Somebody without an account. */
  visitor: LivecoreClient;
  publishing: Publishing;
  creator: Creator;
  viewers: Viewer[];
  tally: Tally;
  sentAt: SendTimes;
  random: () => number;
  rate: number;
  progress: ReturnType<typeof createProgress>;
  /** Lets time pass, between two looks at something. */
  pass: (ms: number) => Promise<void>;
};

export type SignedIn = Viewer & { account: Account };

export const signedIn = (viewers: Viewer[]): SignedIn[] =>
  viewers.flatMap((viewer) => (viewer.account ? [{ ...viewer, account: viewer.account }] : []));

/** Looks again and again until there is something to see. After `withinMs` it throws what `late` says. */
export async function until<Seen>(
  { pass }: Pick<Stage, "pass">,
  look: (leftMs: number) => Promise<Seen | null> | Seen | null,
  { withinMs, everyMs = 250, late }: { withinMs: number; everyMs?: number; late: () => string },
): Promise<Seen> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const leftMs = deadline - performance.now();
    const seen = await look(leftMs);
    if (seen !== null) return seen;
    if (leftMs < 0) throw new Error(late());
    await pass(everyMs);
  }
}
