import type { Talk } from "../../stress/checker/talk.ts";
import { eventually } from "../../support/eventually.ts";

/** The time until a message that is sent from now on is acknowledged, ms. */
export async function acceptsAgain(talk: Talk): Promise<number> {
  const since = performance.now();
  let at: number | null = null;
  await eventually(
    () => {
      at = talk.firstAckAfter(since);
      return at !== null;
    },
    { withinMs: 15_000, what: "chat accepts again" },
  );
  return Math.round((at ?? Number.POSITIVE_INFINITY) - since);
}
