import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../../deploy/processes/config/project.ts";

/** Data files that the project itself makes or writes. */
const OWN_DATA = [
  /(^|\/)(package(-lock)?|tsconfig(\.\w+)?|biome|knip|\.mocharc)\.json$/,
  /^\.vscode\//,
  /^contract\/(generated|released|coverage)\//,
  /^specs\/actors\/host\/versions\/kept\//,
  /^specs\/runner\/fuzz\/requirements\.txt$/,
];

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");

/** False in an archive of the sources, which can't say what is committed. */
const isRepository = existsSync(join(projectRoot, ".git"));

const tracked = (...patterns: string[]): string[] =>
  execFileSync("git", ["ls-files", "-z", "--", ...patterns], { cwd: projectRoot, encoding: "utf8" })
    .split("\0")
    .filter((path) => path !== "");

/** Packages in the built scripts with their licenses: `name (license)`. */
function bundledPackages(): string[] {
  const pages = readdirSync(join(projectRoot, "web/dist"), { withFileTypes: true });
  const texts = pages
    .filter((page) => page.isDirectory())
    .map(({ name }) => read(`web/dist/${name}/${name}-licenses.txt`));
  const found = texts.flatMap((text) => [...text.matchAll(/^## (\S+) - \S+ (\(.+\))$/gm)]);
  return [...new Set(found.map(([, name, license]) => `${name} ${license}`))].sort();
}

describe("licenses", () => {
  it("gives every package of the repository the license Apache-2.0", function () {
    if (!isRepository) this.skip();
    const packages = tracked("package.json", "*/package.json");

    expect(packages).include.members(["package.json", "web/package.json", "clients/typescript/package.json"]);
    for (const path of packages) expect(JSON.parse(read(path)), path).include({ license: "Apache-2.0" });
  });

  it("ships the whole license text with the client, which is published by itself", () => {
    expect(read("LICENSE"))
      .match(/Apache License\s+Version 2\.0/)
      .match(/Copyright 2\d{3} The livecore authors/);
    expect(read("clients/typescript/LICENSE")).equal(read("LICENSE"));
  });

  it("names in NOTICE exactly the packages that the pages' scripts contain", () => {
    const [, section = ""] = /^1\. .*\n([\s\S]*?)^2\. /m.exec(read("NOTICE")) ?? [];
    const named = [...section.matchAll(/^ {2}(\S+ \(.+\))$/gm)].map(([, entry]) => entry);

    expect(bundledPackages()).include("preact (MIT)");
    expect(named).deep.equal(bundledPackages());
  });

  it("names in NOTICE exactly the committed data files that come from others", function () {
    if (!isRepository) this.skip();
    const [, section = ""] = /^2\. .*\n([\s\S]*?)^3\. /m.exec(read("NOTICE")) ?? [];
    const named = [...section.matchAll(/^ {2}(\S+)$/gm)].map(([, path]) => path);
    const data = tracked("*.json", "*.txt", "*.csv", "*.dat", "*.mmdb", "*.woff", "*.woff2", "*.ttf");

    expect(named).deep.equal(data.filter((path) => !OWN_DATA.some((own) => own.test(path))));
  });
});
