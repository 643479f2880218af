import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../../deploy/processes/config/project.ts";

const MANIFESTS = ["package.json", "web/package.json", "clients/typescript/package.json"];
const LOCKS = ["package-lock.json", "web/package-lock.json"];

/** Every version that the packages of a folder state. */
function versionsIn(folder: string): string[] {
  const read = (path: string) => JSON.parse(readFileSync(join(folder, path), "utf8"));
  return [
    ...MANIFESTS.map((path) => read(path).version),
    ...LOCKS.flatMap((path) => [read(path).version, read(path).packages[""].version]),
  ];
}

/** Runs a program in a repository that has what a release touches. @returns its exit code and output */
function inCopy(folder: string, program: string, ...args: string[]): { code: number | null; output: string } {
  // Without the settings that npm hands down to its scripts.
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const author = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@example.com" };
  const committer = { GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@example.com" };
  const env = { ...Object.fromEntries(own), ...author, ...committer, GIT_CONFIG_GLOBAL: "/dev/null" };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: "utf8" });
  return { code: status, output: stdout + stderr };
}

describe("releases", function () {
  this.timeout(60_000);

  const copies: string[] = [];
  after(() => {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  });

  function repository(): string {
    const folder = mkdtempSync(join(tmpdir(), "livecore-release-"));
    copies.push(folder);
    for (const path of [
      ...MANIFESTS,
      ...LOCKS,
      ".gitignore",
      ".npmrc",
      "CHANGELOG.md",
      "contract",
      "deploy/installation/release-version.mjs",
    ])
      cpSync(join(projectRoot, path), join(folder, path), { recursive: true });
    symlinkSync(join(projectRoot, "node_modules"), join(folder, "node_modules"));
    inCopy(folder, "git", "init", "--quiet");
    appendFileSync(join(folder, ".git/info/exclude"), "node_modules\n");
    inCopy(folder, "git", "add", ".");
    inCopy(folder, "git", "commit", "--quiet", "-m", "begin");
    return folder;
  }

  it("gives all packages the version of the newest release in CHANGELOG.md", () => {
    const headings = readFileSync(join(projectRoot, "CHANGELOG.md"), "utf8").match(/^## .*/gm) ?? [];
    const [version, ...others] = versionsIn(projectRoot);

    expect(new Set(others)).deep.equal(new Set([version]));
    expect(headings[0]).equal("## Unreleased");
    expect(headings[1])
      .match(/^## \S+ \(\d{4}-\d\d-\d\d\)$/)
      .satisfies((line: string) => line.startsWith(`## ${version} (`));
  });

  /** Describes 99.0.0, after a change of a document. */
  function described(folder: string, path: string, change: (document: { paths: object }) => void): void {
    const document = JSON.parse(readFileSync(join(folder, path), "utf8"));
    change(document);
    writeFileSync(join(folder, path), JSON.stringify(document));
    writeFileSync(join(folder, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\n## 99.0.0 (2099-01-01)\n");
    inCopy(folder, "git", "commit", "--quiet", "-am", "describe the release");
  }

  it("commits and tags version and promises of the new release by npm run release", () => {
    const folder = repository();
    described(folder, "contract/generated/openapi.json", ({ paths }) =>
      Object.assign(paths, { "/v1/new": {} }),
    );

    const { code, output } = inCopy(folder, "npm", "run", "release", "--", "99.0.0");

    expect(code, output).equal(0);
    expect(new Set(versionsIn(folder))).deep.equal(new Set(["99.0.0"]));
    expect(inCopy(folder, "git", "status", "--porcelain").output).equal("");
    expect(inCopy(folder, "git", "log", "-1", "--format=%s", "v99.0.0").output).equal(
      "chore(release): livecore 99.0.0\n",
    );
    expect(readFileSync(join(folder, "contract/released/openapi.json"), "utf8")).include('"/v1/new"');
    expect(readFileSync(join(folder, "contract/released/narrowed-texts.json"), "utf8")).equal("[]\n");
  });

  it("refuses to release what breaks a promise of the last release", () => {
    const folder = repository();
    described(
      folder,
      "contract/generated/openapi.json",
      (document) => void Object.assign(document, { paths: {} }),
    );

    const { code, output } = inCopy(folder, "npm", "run", "release", "--", "99.0.0");

    expect(code).not.equal(0);
    expect(output).include("These break what was released:");
    expect(inCopy(folder, "git", "tag").output).equal("");
  });

  it("refuses to release a version that CHANGELOG.md doesn't describe", () => {
    const folder = repository();

    const { code, output } = inCopy(folder, "npm", "run", "release", "--", "99.0.0");

    expect(code).not.equal(0);
    expect(output).include('CHANGELOG.md has no "## 99.0.0 (<date>)"');
    expect(inCopy(folder, "git", "tag").output).equal("");
  });
});
