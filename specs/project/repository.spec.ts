import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { projectRoot } from "../../deploy/processes/config/project.ts";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: projectRoot, encoding: "utf8", maxBuffer: 16 * 2 ** 20 });

/** How generated text files say so, in their first lines. */
const SAYS_GENERATED = /(Generated|generated|Made)[^\n]*`npm run generate`/;

const WORKFLOWS = readdirSync(join(projectRoot, ".github/workflows")).map(
  (name) => `.github/workflows/${name}`,
);

describe("repository", () => {
  it("marks generated files, so that diffs fold them", function () {
    if (!existsSync(join(projectRoot, ".git"))) this.skip();
    const texts = git("ls-files", "-z", "--", "*.md", "*.ts").split("\0").filter(Boolean);
    const generated = texts.filter((path) => {
      const head = existsSync(join(projectRoot, path)) ? read(path).split("\n").slice(0, 4).join("\n") : "";
      return SAYS_GENERATED.test(head);
    });

    const marks = git("check-attr", "linguist-generated", "--", ...generated)
      .trim()
      .split("\n");

    expect(generated).include.members(["docs/metrics.md", "store/mongo/generated/collections.ts"]);
    expect(marks.filter((line) => !line.endsWith(": linguist-generated: set"))).deep.equal([]);
  });

  it("names a supported Node in .nvmrc", () => {
    expect(["22", "24"]).include(read(".nvmrc").trim());
  });

  for (const path of WORKFLOWS) {
    it(`pins actions by commit, bounds jobs and only reads (${path})`, () => {
      const { permissions, jobs } = parse(read(path));

      expect(permissions).deep.equal({ contents: "read" });
      for (const job of Object.values<{
        "timeout-minutes": unknown;
        permissions?: unknown;
        steps: { uses?: string }[];
      }>(jobs)) {
        expect(job["timeout-minutes"]).a("number");
        expect(job).not.property("permissions");
        for (const { uses } of job.steps) if (uses) expect(uses).match(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      }
    });
  }
});
