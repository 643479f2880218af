import type { Kind } from "./sample.ts";

type Said = { username: string; timestamp: number; type: string; act?: unknown };
/** `self`: the reader's username. `since`: when the room was last subscribed to. Unix ms of the service, as `now`. */
type Heard = { self: string | undefined; isMeant: boolean; since: number | null; now: number };

/** What was missed comes again within that time of a subscription. */
const AGAIN_MS = 5_000;

/** What the reader wrote or is meant by, and what comes with an act or as an announcement, is more than a part of a flood. */
export function kindOf(message: Said, { self, isMeant, since, now }: Heard): Kind {
  if (message.act || message.type === "announcement" || message.username === self) return "wanted";
  // By its age alone, a lag would make everything late.
  if (since !== null && now - since < AGAIN_MS && message.timestamp < since) return "late";
  return isMeant ? "meant" : "usual";
}
