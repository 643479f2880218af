import { formatPlanned } from "../formats/dates.ts";
import type { Schemas } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";

/** While a channel is offline: when it was live last, and when it will be next. */
export function Elsewhere({ known, isLive }: { known: Schemas["Channel"]; isLive: boolean }) {
  const { broadcast, next_broadcast: next } = known;
  const { schedule } = TEXTS;
  if (isLive || (!broadcast && !next)) return null;
  return (
    <section class="elsewhere">
      {next && (
        <p>
          {schedule.next(formatPlanned(next.starts_at))} · <span dir="auto">{next.title}</span>
        </p>
      )}
      {broadcast && <p class="quiet">{schedule.last(formatPlanned(broadcast.started_at))}</p>}
    </section>
  );
}
