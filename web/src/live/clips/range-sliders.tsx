import { formatClock } from "../../formats/clock.ts";
import { TEXTS } from "../../texts/texts.ts";
import { type Part, withEnd, withStart } from "./clip-range.ts";

type Props = {
  /** What there is to choose from. */
  choice: Part;
  range: Part;
  /** The second that the preview shows; null without one. */
  at: number | null;
  onStart: (range: Part) => void;
  onEnd: (range: Part) => void;
};

/** Where a clip begins and ends, by two handles on one line. */
export function RangeSliders({ choice, range, at, onStart, onEnd }: Props) {
  const { clipCutter } = TEXTS;
  const placeOf = (second: number) => String((second - choice.from) / Math.max(1, choice.to - choice.from));
  const length = range.to - range.from;
  const handle = (name: string, label: string, second: number, onSecond: (second: number) => void) => (
    <input
      type="range"
      name={name}
      min={choice.from}
      max={choice.to}
      step={1}
      value={second}
      aria-label={label}
      aria-valuetext={clipCutter.at(formatClock(second * 1_000), length)}
      onInput={({ currentTarget }) => {
        onSecond(currentTarget.valueAsNumber);
        // It may have been stopped earlier: what it shows is what was taken.
        currentTarget.value = String(second);
      }}
    />
  );
  return (
    <div
      class="range"
      style={{
        "--from": placeOf(range.from),
        "--to": placeOf(range.to),
        "--at": placeOf(at ?? range.from),
      }}
    >
      <span class="chosen" />
      {at !== null && <span class="playhead" />}
      {handle("start", clipCutter.start, range.from, (second) => onStart(withStart(range, second)))}
      {handle("end", clipCutter.end, range.to, (second) => onEnd(withEnd(range, second)))}
    </div>
  );
}
