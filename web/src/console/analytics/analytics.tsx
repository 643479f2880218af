import { useState } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import { formatNumber } from "../../formats/numbers.ts";
import { useRead } from "../../site/read.ts";
import { session } from "../../site/session.ts";
import { ConsolePage } from "../console-page.tsx";
import { Panel } from "../panel.tsx";
import { CsvButton } from "./csv-button.tsx";
import { DayPlots } from "./day-plots.tsx";
import { type Analytics, figuresOf, isEmpty } from "./figures.ts";
import { FiguresTable } from "./figures-table.tsx";
import "./analytics.css";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

const PERIODS = ["7d", "30d", "90d"] as const;
type Period = (typeof PERIODS)[number];

/** The figures of one's channel, beside those of the period before. */
export function AnalyticsConsole() {
  return <ConsolePage section="analytics">{() => <Own key={session.value} />}</ConsolePage>;
}

function Own() {
  const { analytics } = CONSOLE_TEXTS;
  const [period, setPeriod] = useState<Period>("30d");
  const read = useRead("getCreatorAnalytics", { query: { period } });
  return (
    <div class="analytics">
      <label class="period">
        {analytics.period}
        <select
          value={period}
          onChange={({ currentTarget }) =>
            setPeriod(PERIODS.find((one) => one === currentTarget.value) ?? "30d")
          }
        >
          {PERIODS.map((one) => (
            <option key={one} value={one}>
              {analytics.periods[one]}
            </option>
          ))}
        </select>
      </label>
      <Loaded read={read}>{(found) => <Figures key={found.period} found={found} />}</Loaded>
    </div>
  );
}

function Figures({ found }: { found: Analytics }) {
  const { analytics } = CONSOLE_TEXTS;
  const figures = figuresOf(found);
  const today = found.days.at(-1)?.day ?? "";
  const fileOf = (what: string): string => analytics.file(what, found.period, today);
  const isQuiet = isEmpty(figures);
  const { top_redemptions: rewards } = found.points;
  return (
    <>
      {found.viewership.source === "unavailable" && <p class="quiet">{analytics.noViewers}</p>}
      {found.previous === null && <p class="quiet">{analytics.noPrevious}</p>}
      {isQuiet && <p class="note">{analytics.nothing}</p>}
      <FiguresTable figures={figures} file={fileOf("figures")} />
      {!isQuiet && <DayPlots analytics={found} file={fileOf("days")} />}
      <Panel
        title={analytics.topRewards}
        aside={
          rewards.length > 0 && (
            <CsvButton
              title={analytics.topRewards}
              file={fileOf("rewards")}
              rows={() => [
                [analytics.reward, analytics.redeemed],
                ...rewards.map(({ reward_title, count }) => [reward_title, count]),
              ]}
            />
          )
        }
      >
        {rewards.length === 0 ? (
          <p class="note">{analytics.noRewards}</p>
        ) : (
          <table>
            <thead>
              <tr>
                <th scope="col">{analytics.reward}</th>
                <th scope="col">{analytics.redeemed}</th>
              </tr>
            </thead>
            <tbody>
              {rewards.map(({ reward_title, count }) => (
                <tr key={reward_title}>
                  <th scope="row" dir="auto">
                    {reward_title}
                  </th>
                  <td>{formatNumber(count)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Panel>
    </>
  );
}
