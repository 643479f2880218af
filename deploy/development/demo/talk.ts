import { setTimeout as pause } from "node:timers/promises";
import { atOnce } from "./at-once.ts";
import { say } from "./crowd.ts";
import { chatLine } from "./random.ts";
import { type SignedIn, type Stage, signedIn } from "./stage.ts";

/** All signed-in viewers chat for `seconds`, at `rate` lines a second in total; `halfway` is called in the middle. */
export async function chat(
  stage: Stage,
  seconds: number,
  halfway: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const { random, rate, tally, sentAt, progress } = stage;
  const chatters = [...signedIn(stage.viewers)];
  const sends: Promise<unknown>[] = [];
  const total = rate * seconds;
  let due = performance.now();
  for (let serial = 0; serial < total; serial++) {
    if (due - performance.now() > 1) await pause(due - performance.now());
    // On a busy machine it falls behind: lines that catch up would come too fast for their chatters.
    due = Math.max(due, performance.now()) + 1_000 / rate;
    if (serial === Math.floor(total / 2)) sends.push(halfway());
    const chatter = nextOf(chatters, random);
    if (chatter) sends.push(say(chatter, chatLine(random, serial), tally, sentAt));
    if (serial % 10 === 0) {
      progress.show(`chatting: ${serial}/${total} sent, ${tally.acknowledged.size} acknowledged`);
    }
  }
  await Promise.all(sends);
  progress.done(`${total} lines sent, ${tally.acknowledged.size} acknowledged, ${tally.resumes} resumes`);
}

/** One of the quarter that has been silent longest, since a room takes one line a second of each chatter. It goes to the end. */
function nextOf(chatters: SignedIn[], random: () => number): SignedIn | undefined {
  const [chatter] = chatters.splice(Math.floor(random() * Math.ceil(chatters.length / 4)), 1);
  if (chatter) chatters.push(chatter);
  return chatter;
}

/**
 * Sets slow mode to 30 s: each chatter's second line is refused, and also the first one if they have spoken within the last
 * 30 s.
 */
export async function slowMode(stage: Stage): Promise<void> {
  const { creator, tally, sentAt, random, progress } = stage;
  const path = { stream_id: creator.streamId };
  const setSlow = (slow: number | null) =>
    creator.client.call("updateChatSettings", { path, body: { slow } });
  await setSlow(30);
  const hasty = signedIn(stage.viewers).slice(0, 20);
  // Refusals that are asked for aren't counted among the others.
  const refused = new Map<string, number>();
  const asked = { ...tally, refused };
  await atOnce(5, hasty, async (viewer, i) => {
    await say(viewer, chatLine(random, 1_000_000 + i), asked, sentAt);
    await say(viewer, chatLine(random, 2_000_000 + i), asked, sentAt);
  });
  await setSlow(null);
  progress.done(
    `slow mode was tried: of ${2 * hasty.length} lines it refused ${refused.get("slow_mode") ?? 0}, and the limit of one a second ${refused.get("rate_limited") ?? 0}`,
  );
}
