// The step of `npm run release -- 0.3.0` between npm's new version and its commit: the packages in this repository get the same
// version, and what the API documents promise is kept, to compare later ones with. A version that CHANGELOG.md doesn't describe ends the release.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const { npm_new_version: version } = process.env;
const FILES = ["clients/typescript/package.json", "web/package.json", "web/package-lock.json"];

// npm runs this in the project's folder.
const isDescribed = readFileSync("CHANGELOG.md", "utf8")
  .split("\n")
  .some((line) => line.startsWith(`## ${version} (`));
if (isDescribed) {
  for (const file of FILES) {
    const content = JSON.parse(readFileSync(file, "utf8"));
    content.version = version;
    // A lock file has it twice.
    if (content.packages) content.packages[""].version = version;
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  }
  execFileSync(process.execPath, ["--import", "tsx", "contract/released/keep.ts"], { stdio: "inherit" });
  execFileSync("git", ["add", ...FILES, "contract/released"]);
} else {
  console.error(
    `CHANGELOG.md has no "## ${version} (<date>)": describe the release, commit that, and undo what`,
  );
  console.error("npm has written: git checkout package.json package-lock.json");
  process.exitCode = 1;
}
