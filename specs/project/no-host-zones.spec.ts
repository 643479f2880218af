import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../../deploy/processes/config/project.ts";

const RULES = "specs/runner";
const BIOME = join(projectRoot, "node_modules/@biomejs/biome/bin/biome");

const REFUSED = [
  `new Intl.DateTimeFormat("en");`,
  `new globalThis.Intl.DateTimeFormat("en");`,
  `Intl?.DateTimeFormat;`,
  `Intl["DateTimeFormat"];`,
  "Intl[`DateTimeFormat`];",
  `globalThis["Intl"];`,
  `Intl.supportedValuesOf("timeZone");`,
  `const { DateTimeFormat } = Intl;`,
  `const { DateTimeFormat: Format } = Intl;`,
  `const { ["DateTimeFormat"]: Format } = Intl;`,
  `const { Intl: ours } = globalThis;`,
  `const { Intl: { DateTimeFormat } } = globalThis;`,
  `const ours = Intl;`,
  `const format = (intl = Intl) => intl;`,
  `at.toLocaleString("en");`,
  `at?.toLocaleString();`,
  `at["toLocaleString"]("en");`,
  `at.toLocaleDateString();`,
  `at.toLocaleTimeString();`,
  `const { toLocaleTimeString } = Date.prototype;`,
  `at.toDateString();`,
  `at.toTimeString();`,
  `at.getHours();`,
  `at.setDate(1);`,
  `at.getTimezoneOffset();`,
  `import moment from "moment-timezone";`,
  `import { tz } from "moment-timezone";`,
  `import * as moment from "moment";`,
  `import "moment-timezone";`,
  `export { tz } from "moment-timezone";`,
  `await import("moment-timezone/data/packed/latest.json");`,
];

const ALLOWED = [
  `new Intl.NumberFormat("en");`,
  `new Intl.PluralRules("en");`,
  `at.getUTCHours();`,
  `at.toISOString();`,
  `at.getTime();`,
  `import { zoneOf } from "../time-zones/zones.ts";`,
];

/** Runs the linter with the project's rules on these modules; returns which of them it refuses for time zones. */
async function refusedOf(modules: Record<string, string>): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), "livecore-lint-"));
  try {
    cpSync(join(projectRoot, RULES), join(root, RULES), { recursive: true });
    const config: object = JSON.parse(readFileSync(join(projectRoot, "biome.json"), "utf8"));
    writeFileSync(join(root, "biome.json"), JSON.stringify({ ...config, vcs: { enabled: false } }));
    for (const [path, source] of Object.entries(modules)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), `${source}\n`);
    }
    const args = [BIOME, "lint", "--reporter=json", "--max-diagnostics=none", ...Object.keys(modules)];
    const report = await new Promise<string>((resolve) => {
      execFile(process.execPath, args, { cwd: root }, (_err, stdout) => resolve(stdout));
    });
    const { diagnostics }: { diagnostics: { message: string; location: { path: string } }[] } =
      JSON.parse(report);
    const ours = diagnostics.filter(({ message }) => message.includes("actors/channels/time-zones"));
    return [...new Set(ours.map(({ location }) => location.path))].toSorted();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

describe("lint: no-host-zones", () => {
  const all = [...REFUSED, ...ALLOWED];
  const pathOf = (source: string) => `actors/example-${all.indexOf(source)}.ts`;
  let refused: string[];
  before(async () => {
    refused = await refusedOf(Object.fromEntries(all.map((source) => [pathOf(source), source])));
  });

  for (const source of REFUSED)
    it(`refuses \`${source}\``, () => {
      expect(refused).include(pathOf(source));
    });

  for (const source of ALLOWED)
    it(`allows \`${source}\``, () => {
      expect(refused).not.include(pathOf(source));
    });

  it("looks at each layer of the service, except for the reader of the zone data", async () => {
    const [source = ""] = REFUSED;
    const places = ["actors", "api", "deploy", "jobs", "realtime", "store"].map((layer) => `${layer}/a.ts`);
    const others = ["actors/channels/time-zones/zones.ts", "specs/a.ts", "web/src/a.ts"];

    const found = await refusedOf(Object.fromEntries([...places, ...others].map((path) => [path, source])));

    expect(found).deep.equal(places);
  });
});
