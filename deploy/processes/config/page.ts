import type { Setting } from "./setting.ts";
import { SETTINGS } from "./settings.ts";

/** The text of docs/configuration.md, generated from the table that also validates the configuration. */
export function configurationPage(): string {
  const rows = Object.values(SETTINGS).map(
    ({ name, schema, fallback, meaning }: Setting<unknown>) =>
      `| \`${name}\` | ${cell(schema.shape)} | ${shownDefault(fallback)} | ${cell(meaning)} |`,
  );
  return [
    "# Configuration",
    "",
    "Generated from `deploy/processes/config/settings.ts` by `npm run generate`; edit it there.",
    "",
    "Everything is set by environment variables and checked before anything starts: all problems are reported at",
    "once, and nothing runs with an invalid setting. An empty variable counts as missing. Each kind of process gets only",
    "those that it uses (`deploy/processes/config/taken-by.ts`), besides what Node and the system read themselves.",
    "",
    "| Variable | Form | Default | Meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|");

function shownDefault(fallback: string | null): string {
  if (fallback === null) return "–";
  return fallback === "" ? "nothing" : `\`${fallback}\``;
}
