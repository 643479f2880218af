import type { LivecoreClient } from "../../../clients/typescript/src/index.ts";
import type { Account, Creator } from "./cast.ts";
import type { SendTimes, Tally, Viewer } from "./crowd.ts";
import type { Publishing } from "./publishing.ts";
import type { createProgress } from "./report.ts";

/** What every part of the demo works with. */
export type Stage = {
  /** A client without an account. */
  visitor: LivecoreClient;
  publishing: Publishing;
  creator: Creator;
  viewers: Viewer[];
  tally: Tally;
  sentAt: SendTimes;
  random: () => number;
  rate: number;
  progress: ReturnType<typeof createProgress>;
  /** Waits between two polls. */
  pass: (ms: number) => Promise<void>;
};

export type SignedIn = Viewer & { account: Account };

export const signedIn = (viewers: Viewer[]): SignedIn[] =>
  viewers.flatMap((viewer) => (viewer.account ? [{ ...viewer, account: viewer.account }] : []));

type Wait = {
  /** What it waits for, and why it takes time; shown with how long it may still take. */
  waitingFor: string | (() => string);
  withinMs: number;
  everyMs?: number;
  late: () => string;
};

/** Polls `look` until it returns something else than null. After `withinMs` it throws an Error with the text of `late`. */
export async function until<Seen>(
  { pass, progress }: Pick<Stage, "pass" | "progress">,
  look: () => Promise<Seen | null> | Seen | null,
  { waitingFor, withinMs, everyMs = 250, late }: Wait,
): Promise<Seen> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const leftMs = deadline - performance.now();
    const seen = await look();
    if (seen !== null) return seen;
    if (leftMs < 0) throw new Error(late());
    const what = typeof waitingFor === "string" ? waitingFor : waitingFor();
    progress.show(`waiting for ${what}: ${Math.ceil(leftMs / 1_000)} s at most`);
    await pass(everyMs);
  }
}
