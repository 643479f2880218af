import { Download } from "lucide";
import { download } from "../../components/download.ts";
import { Icon } from "../../components/icon.tsx";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { type Cell, csvOf } from "./csv.ts";

/** Saves a table of the page as a file. */
export function CsvButton({
  title,
  file,
  rows,
}: {
  title: string;
  file: string;
  /** Made when they are asked for. */
  rows: () => readonly (readonly Cell[])[];
}) {
  const { analytics } = CONSOLE_TEXTS;
  return (
    <button
      type="button"
      class="button quiet"
      aria-label={analytics.downloadOf(title)}
      onClick={() => download(new Blob([csvOf(rows())], { type: "text/csv;charset=utf-8" }), file)}
    >
      <Icon of={Download} />
      {analytics.download}
    </button>
  );
}
