import { formatUtcDay } from "../../formats/dates.ts";
import { formatMoney, plainMoney } from "../../formats/money.ts";
import { formatNumber } from "../../formats/numbers.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { Panel } from "../panel.tsx";
import { Plot } from "../plots/plot.tsx";
import type { Cell } from "./csv.ts";
import { CsvButton } from "./csv-button.tsx";
import type { Analytics } from "./figures.ts";

type Day = Analytics["days"][number];

/** The series, and the names of the figures that are their sums. */
const SERIES = [
  ["peak_viewers", "peakViewers"],
  ["watch_time_minutes", "watchedMinutes"],
  ["follows_gained", "gained"],
  ["follows_lost", "lost"],
  ["new_subscriptions", "newSubscriptions"],
  ["tip_cents", "tips"],
  ["points_earned", "earned"],
  ["points_spent", "spent"],
] as const satisfies [keyof Day, string][];

type Props = { analytics: Analytics; file: string };

/** What each day of the period had. */
export function DayPlots({ analytics: { days, currency }, file }: Props) {
  const { analytics } = CONSOLE_TEXTS;
  const money = (cents: number): string => formatMoney(cents, currency);
  const rows = (): Cell[][] => [
    [analytics.day, ...SERIES.map(([, name]) => analytics.names[name])],
    ...days.map((day) => [
      day.day,
      ...SERIES.map(([key]) => (key === "tip_cents" ? Number(plainMoney(day[key], currency)) : day[key])),
    ]),
  ];
  return (
    <Panel title={analytics.days} aside={<CsvButton title={analytics.days} file={file} rows={rows} />}>
      <p class="quiet">{analytics.partial}</p>
      <div class="plots">
        {SERIES.map(([key, name]) => {
          const isMoney = key === "tip_cents";
          const points = days.map((day) => ({ at: Date.parse(day.day), value: day[key] }));
          const format = isMoney ? money : (value: number) => formatNumber(value);
          const values = points.map(({ value }) => value);
          const isPeak = key === "peak_viewers";
          const sum = isPeak ? Math.max(0, ...values) : values.reduce((all, value) => all + value, 0);
          return (
            <Plot
              key={key}
              title={analytics.names[name]}
              summary={isPeak ? analytics.most(format(sum)) : analytics.total(format(sum))}
              timeTitle={analytics.day}
              kind="bars"
              per="day"
              points={points}
              unit={isMoney ? 100 : 1}
              format={format}
              formatTick={formatUtcDay}
              formatAt={formatUtcDay}
            />
          );
        })}
      </div>
    </Panel>
  );
}
