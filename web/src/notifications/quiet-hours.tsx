import { useId, useState } from "preact/hooks";
import { ownZone } from "../formats/dates.ts";
import { TEXTS } from "../texts/texts.ts";
import { instantAt, timeAt, zonesWith } from "./local-times.ts";
import type { Preferences } from "./use-preferences.ts";

type Times = { from: string; until: string };
const NIGHT: Times = { from: "22:00", until: "07:00" };

type Props = { preferences: Preferences; change: (to: (before: Preferences) => Preferences) => void };

/** The daily time in which nothing is pushed or mailed. */
export function QuietHours({ preferences, change }: Props) {
  const { preferences: texts } = TEXTS.notifications;
  const { quiet_hours_start: start, quiet_hours_end: end, time_zone: saved } = preferences;
  const isOn = start !== undefined && end !== undefined;
  const [typed, setTyped] = useState<Partial<Times>>({});
  const zone = isOn ? saved : ownZone();
  const times: Times = {
    ...(isOn ? { from: timeAt(start, saved), until: timeAt(end, saved) } : NIGHT),
    ...typed,
  };
  const isSame = times.from === times.until;
  const [zoneId, faultId] = [useId(), useId()];

  const save = ({ from, until }: Times, time_zone: string): void =>
    change((before) => ({
      ...before,
      time_zone,
      quiet_hours_start: instantAt(from, time_zone),
      quiet_hours_end: instantAt(until, time_zone),
    }));
  const type = (changed: Partial<Times>): void => {
    const next = { ...times, ...changed };
    setTyped(changed);
    // A field that is being filled in is empty.
    if (next.from === "" || next.until === "" || next.from === next.until) return;
    setTyped({});
    save(next, zone);
  };
  const toggle = (isToBeOn: boolean): void => {
    setTyped({});
    if (isToBeOn) save(NIGHT, zone);
    else change(({ quiet_hours_start, quiet_hours_end, ...rest }) => rest);
  };
  return (
    <section class="box">
      <h2>{texts.quiet}</h2>
      <p class="quiet">{texts.quietHint}</p>
      <label class="check">
        <input
          type="checkbox"
          name="quiet_hours"
          checked={isOn}
          onChange={({ currentTarget }) => toggle(currentTarget.checked)}
        />
        {texts.quietOn}
      </label>
      {isOn && (
        <>
          <div class="hours">
            {(["from", "until"] as const).map((name) => (
              <label key={name} class="field">
                <span>{texts[name]}</span>
                <input
                  type="time"
                  name={name}
                  required
                  value={times[name]}
                  aria-invalid={isSame}
                  aria-describedby={isSame ? faultId : undefined}
                  onChange={({ currentTarget }) => type({ ...typed, [name]: currentTarget.value })}
                />
              </label>
            ))}
          </div>
          {isSame && (
            <p id={faultId} class="fault" role="alert">
              {texts.same}
            </p>
          )}
          <div class="field">
            <label htmlFor={zoneId}>{texts.zone}</label>
            <select
              id={zoneId}
              name="time_zone"
              value={zone}
              onChange={({ currentTarget }) => save(times, currentTarget.value)}
            >
              {zonesWith(zone, ownZone()).map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </div>
        </>
      )}
    </section>
  );
}
