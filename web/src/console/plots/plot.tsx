import { useId, useState } from "preact/hooks";
import { later } from "../../components/later.tsx";
import { WhenNear } from "../../components/when-near.tsx";
import type { PlotPoint, Plotted } from "./plotted.ts";
import "./plot.css";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

type Props = Plotted & {
  title: string;
  /** What it shows, in a line. */
  summary: string;
  /** The heading of the times, in the table. */
  timeTitle: string;
  /** As a single value has it. */
  formatAt: (at: number) => string;
};

/** uPlot is loaded once there is something to draw. */
const PlotCanvas = later(
  async () => (await import("./plot-canvas.tsx")).PlotCanvas,
  () => <div class="canvas" />,
);

const PAGE = 10;
/** By how many places a key moves; null for one that doesn't. */
function moved(key: string, place: number, last: number): number | null {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -PAGE,
    PageUp: PAGE,
    Home: -place,
    End: last - place,
  };
  const step = steps[key];
  return step === undefined ? null : Math.min(last, Math.max(0, place + step));
}

/** One series over time. Keys read single values, and a table has all of them. */
export function Plot({ title, summary, timeTitle, formatAt, ...plotted }: Props) {
  const { plots } = CONSOLE_TEXTS;
  const [place, setPlace] = useState<number | null>(null);
  const id = useId();
  const { points, format } = plotted;
  const last = points.length - 1;
  const now = Math.min(place ?? last, last);
  const textOf = ({ at, value }: PlotPoint): string =>
    plots.at(value === null ? plots.none : format(value), formatAt(at));
  const point = points[now];
  return (
    <figure class="plot" aria-labelledby={id}>
      <figcaption>
        <h3 id={id}>{title}</h3>
        <p class="quiet">{place !== null && point ? textOf(point) : summary}</p>
      </figcaption>
      {point === undefined ? (
        <p class="note">{plots.noValues}</p>
      ) : (
        <>
          <div
            class="drawing"
            role="slider"
            tabIndex={0}
            aria-label={title}
            aria-description={plots.explore}
            aria-valuemin={0}
            aria-valuemax={last}
            aria-valuenow={now}
            aria-valuetext={textOf(point)}
            onKeyDown={(event) => {
              const next = event.key === "Escape" ? null : moved(event.key, now, last);
              if (next === null && event.key !== "Escape") return;
              event.preventDefault();
              setPlace(next);
            }}
            onBlur={() => setPlace(null)}
          >
            <WhenNear>
              <PlotCanvas {...plotted} place={place} onPlace={setPlace} />
            </WhenNear>
          </div>
          <PlotTable
            title={title}
            timeTitle={timeTitle}
            points={points}
            format={format}
            formatAt={formatAt}
          />
        </>
      )}
    </figure>
  );
}

type TableProps = Pick<Props, "title" | "timeTitle" | "points" | "format" | "formatAt">;

function PlotTable({ title, timeTitle, points, format, formatAt }: TableProps) {
  const { plots } = CONSOLE_TEXTS;
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{plots.asTable}</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard.
        <section class="rows-of" aria-label={title} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{timeTitle}</th>
                <th scope="col">{title}</th>
              </tr>
            </thead>
            <tbody>
              {points.map(({ at, value }) => (
                <tr key={at}>
                  <td>{formatAt(at)}</td>
                  <td>{value === null ? plots.none : format(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
