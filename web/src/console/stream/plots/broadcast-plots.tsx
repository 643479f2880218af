import { Loaded } from "../../../components/loaded.tsx";
import { formatMoment, formatTime } from "../../../formats/dates.ts";
import { formatMoney } from "../../../formats/money.ts";
import { formatNumber } from "../../../formats/numbers.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { Panel } from "../../panel.tsx";
import { Plot } from "../../plots/plot.tsx";
import type { PlotPoint } from "../../plots/plotted.ts";
import { useTimeline } from "./timeline.ts";

type Timeline = Schemas["StreamTimeline"];
type Series = Exclude<keyof Schemas["StreamTimelinePoint"], "at">;

const seriesOf = ({ points }: Timeline, name: Series): PlotPoint[] =>
  points.map((point) => ({ at: Date.parse(point.at), value: point[name] }));

const numbersIn = (points: readonly PlotPoint[]): number[] => points.flatMap(({ value }) => value ?? []);
const totalOf = (points: readonly PlotPoint[]): number =>
  numbersIn(points).reduce((sum, value) => sum + value, 0);

const OVER_TIME = {
  per: "minute",
  formatTick: formatTime,
  formatAt: (at: number) => formatMoment(new Date(at).toISOString()),
} as const;

/** The running broadcast as plots, or the last one: viewers, chat, follows, subscriptions and tips. */
export function BroadcastPlots({ streamId }: { streamId: string }) {
  const texts = CONSOLE_TEXTS.broadcastPlots;
  const read = useTimeline(streamId);
  const ended = read.data?.ended_at ?? null;
  return (
    <Panel
      title={ended === null ? texts.title : texts.lastTitle}
      kind="broadcast-plots"
      aside={ended !== null && <time dateTime={ended}>{texts.ended(formatMoment(ended))}</time>}
    >
      <Loaded read={read}>
        {(timeline) =>
          timeline.started_at === null ? <p class="note">{texts.empty}</p> : <Plots timeline={timeline} />
        }
      </Loaded>
    </Panel>
  );
}

function Plots({ timeline }: { timeline: Timeline }) {
  const texts = CONSOLE_TEXTS.broadcastPlots;
  const { currency, ended_at } = timeline;
  const viewers = seriesOf(timeline, "viewers");
  const counts = numbersIn(viewers);
  const peak = formatNumber(Math.max(0, ...counts));
  const money = (cents: number): string => formatMoney(cents, currency);
  const shared = { ...OVER_TIME, timeTitle: texts.time };
  const counted = (name: "messages" | "follows" | "subscriptions") => {
    const points = seriesOf(timeline, name);
    const { title, sum } = texts[name];
    return (
      <Plot
        {...shared}
        title={title}
        summary={sum(formatNumber(totalOf(points)))}
        kind={name === "messages" ? "line" : "bars"}
        points={points}
        unit={1}
        format={formatNumber}
      />
    );
  };
  const tips = seriesOf(timeline, "tip_cents");
  return (
    <div class="plots">
      <Plot
        {...shared}
        title={texts.viewers.title}
        summary={
          ended_at === null
            ? texts.viewers.sum(peak, formatNumber(counts.at(-1) ?? 0))
            : texts.viewersThen(peak)
        }
        kind="line"
        points={viewers}
        unit={1}
        format={formatNumber}
      />
      {counted("messages")}
      {counted("follows")}
      {counted("subscriptions")}
      <Plot
        {...shared}
        title={texts.tips.title}
        summary={texts.tips.sum(money(totalOf(tips)))}
        kind="bars"
        points={tips}
        unit={100}
        format={money}
      />
    </div>
  );
}
