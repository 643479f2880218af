import { formatDate, formatMoment } from "../formats/dates.ts";
import { formatAge } from "../formats/durations.ts";
import { serverNow } from "../site/service-clock.ts";
import { STAFF_TEXTS } from "../texts/staff-texts.ts";

/** A day, with its hour where that matters. */
export const Moment = ({ of, isDay = false }: { of: string; isDay?: boolean }) => (
  <time dateTime={of}>{isDay ? formatDate(of) : formatMoment(of)}</time>
);

/** How long ago something was, with the moment for whoever points at it. */
export function Age({ of }: { of: string }) {
  const { ago, now } = STAFF_TEXTS.frame;
  const age = formatAge(serverNow() - Date.parse(of));
  return (
    <time dateTime={of} title={formatMoment(of)}>
      {age === null ? now : ago(age)}
    </time>
  );
}
