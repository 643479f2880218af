import type { MessageLoad } from "../../stress/checker/message-load.ts";
import { eventually } from "../../support/eventually.ts";

/** The time until a message that is sent from now on is acknowledged, ms. */
export async function acceptsAgain(messageLoad: MessageLoad): Promise<number> {
  const since = performance.now();
  let at: number | null = null;
  await eventually(
    () => {
      at = messageLoad.firstAckAfter(since);
      return at !== null;
    },
    { withinMs: 15_000, what: "chat accepts again" },
  );
  return Math.round((at ?? Number.POSITIVE_INFINITY) - since);
}
