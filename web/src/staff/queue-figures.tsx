import { formatAge } from "../formats/durations.ts";
import type { Schemas } from "../site/page-data.ts";
import { serverNow } from "../site/service-clock.ts";
import { STAFF_TEXTS } from "../texts/staff-texts.ts";

type Props = { queue: Schemas["StaffQueue"] | undefined; hasClaims?: boolean };

/** How much of a queue waits, since when, and how fast it gets shorter. */
export function QueueFigures({ queue, hasClaims = true }: Props) {
  const { figures } = STAFF_TEXTS.frame;
  if (!queue) return null;
  const { waiting, claimed, oldest_at, decided_last_day } = queue;
  const age = oldest_at === null ? null : formatAge(serverNow() - Date.parse(oldest_at));
  return (
    <ul class="figures" aria-label={figures.label}>
      <li>
        <b>{figures.waiting(waiting)}</b>
      </li>
      {oldest_at !== null && <li>{age === null ? figures.oldestNow : figures.oldest(age)}</li>}
      {hasClaims && <li>{figures.claimed(claimed)}</li>}
      <li>{figures.decided(decided_last_day)}</li>
    </ul>
  );
}
