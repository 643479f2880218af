import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { Panel } from "../panel.tsx";
import type { Cell } from "./csv.ts";
import { CsvButton } from "./csv-button.tsx";
import { changeOf, type Figure } from "./figures.ts";

type Props = { figures: readonly Figure[]; file: string };

/** Each figure beside that of the period before. */
export function FiguresTable({ figures, file }: Props) {
  const { analytics } = CONSOLE_TEXTS;
  const heads = [analytics.figure, analytics.now, analytics.before, analytics.change];
  const parts = [...new Set(figures.map(({ part }) => part))];
  return (
    <Panel
      title={analytics.figures}
      aside={
        <CsvButton title={analytics.figures} file={file} rows={() => [heads, ...figures.map(cellsOf)]} />
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard. */}
      <div class="wide-table" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          {parts.map((part) => (
            <tbody key={part}>
              <tr>
                <th scope="rowgroup" colSpan={heads.length}>
                  {analytics.parts[part]}
                </th>
              </tr>
              {figures
                .filter((figure) => figure.part === part)
                .map((figure) => (
                  <tr key={figure.name}>
                    <th scope="row">{analytics.names[figure.name]}</th>
                    <td>{shown(figure.now, figure)}</td>
                    <td>{shown(figure.before, figure)}</td>
                    <td>{changeOf(figure)}</td>
                  </tr>
                ))}
            </tbody>
          ))}
        </table>
      </div>
    </Panel>
  );
}

function shown(value: number | null | undefined, { format }: Figure): string {
  if (value === undefined) return "";
  return value === null ? CONSOLE_TEXTS.analytics.unknown : format(value);
}

/** The same in a file: numbers without their looks. */
function cellsOf(figure: Figure): Cell[] {
  const { name, now, before, plain } = figure;
  const cell = (value: number | null | undefined): Cell =>
    value === null || value === undefined ? "" : plain(value);
  const change = typeof now === "number" && typeof before === "number" ? plain(now - before) : "";
  return [CONSOLE_TEXTS.analytics.names[name], cell(now), cell(before), change];
}
