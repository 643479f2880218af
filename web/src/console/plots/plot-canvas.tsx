import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useMedia } from "../../components/use-media.ts";
import { chosenTheme } from "../../site/theme.ts";
import type { Plotted } from "./plotted.ts";

const HEIGHT = 160;
const SECOND_MS = 1_000;
const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;
/** What the marks of the time axis may be apart, in seconds. */
const STEPS = {
  minute: [1, 5, 10, 15, 30, 60, 120, 240, 360, 720].map((minutes) => minutes * MINUTE_S),
  day: [1, 2, 7, 14].map((days) => days * DAY_S),
};
/** The same for values, which are whole, or cents. */
const valueSteps = (unit: number): number[] =>
  Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * unit * 10 ** power)).flat();

type Props = Plotted & {
  /** The place of the value that is read; null for none. */
  place: number | null;
  onPlace: (place: number | null) => void;
};

/** The drawing of a plot. Its colours are those of its element, which the style sheet takes from the theme. */
export function PlotCanvas({ place, onPlace, ...plotted }: Props) {
  const area = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  // What the drawing calls later.
  const shown = useRef({ ...plotted, onPlace });
  shown.current = { ...plotted, onPlace };
  const { kind, points, per } = plotted;

  useEffect(() => {
    const element = area.current;
    if (!element) return;
    const made = new uPlot(optionsOf(element, shown), dataOf(shown.current.points), element);
    plot.current = made;
    const sizes = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [kind, per]);

  useEffect(() => plot.current?.setData(dataOf(points)), [points]);

  const isDark = useMedia("(prefers-color-scheme: dark)");
  const theme = chosenTheme.value;
  useEffect(() => plot.current?.redraw(false), [isDark, theme]);

  useEffect(() => {
    const made = plot.current;
    const point = place === null ? undefined : points[place];
    if (!made || made.cursor.idx === place) return;
    made.setCursor(
      point ? { left: made.valToPos(point.at / SECOND_MS, "x"), top: 0 } : { left: -1, top: -1 },
      false,
    );
  }, [place]);

  return <div class="canvas" ref={area} />;
}

const dataOf = (points: Plotted["points"]): uPlot.AlignedData => [
  points.map(({ at }) => at / SECOND_MS),
  points.map(({ value }) => value),
];

type Shown = { readonly current: Plotted & { onPlace: Props["onPlace"] } };

function optionsOf(element: HTMLElement, shown: Shown): uPlot.Options {
  const { kind, per, unit } = shown.current;
  const style = getComputedStyle(element);
  const font = `12px ${style.fontFamily}`;
  const line = () => style.color;
  const marks = () => style.caretColor;
  const grid = () => style.borderTopColor;
  const { bars } = uPlot.paths;
  const half = (per === "day" ? DAY_S : MINUTE_S) / 2;
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false, setScale: false } },
    scales: {
      // Half a bar beyond the first and the last time.
      ...(kind === "bars" ? { x: { range: (_plot, from, to) => [from - half, to + half] } } : {}),
      y: { range: (_plot, _least, most) => [0, Math.max(unit, most ?? unit) * 1.05] },
    },
    ...(per === "day" ? { tzDate: (at) => uPlot.tzDate(new Date(at * SECOND_MS), "Etc/UTC") } : {}),
    axes: [
      {
        font,
        stroke: marks,
        grid: { show: false },
        ticks: { stroke: grid, width: 1 },
        size: 28,
        space: 56,
        incrs: STEPS[per],
        values: (_plot, times) => times.map((time) => shown.current.formatTick(time * SECOND_MS)),
      },
      {
        font,
        stroke: marks,
        grid: { stroke: grid, width: 1 },
        ticks: { show: false },
        size: (_plot, marked) => 16 + 7 * Math.max(1, ...(marked ?? []).map((mark) => mark.length)),
        space: 28,
        incrs: valueSteps(unit),
        values: (_plot, values) => values.map((value) => shown.current.format(value)),
      },
    ],
    series: [
      {},
      {
        points: { show: false },
        ...(kind === "bars" && bars
          ? { width: 0, fill: line, paths: bars({ size: [0.7, 32] }) }
          : { width: 2, stroke: line, fill: () => style.columnRuleColor }),
      },
    ],
    hooks: { setCursor: [({ cursor }) => shown.current.onPlace(cursor.idx ?? null)] },
  };
}
