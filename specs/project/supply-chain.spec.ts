import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { missingFromSbom, shippedPackages, writeSbom } from "../../deploy/installation/sbom.mjs";
import { projectRoot } from "../../deploy/processes/config/project.ts";

type Manifest = { dependencies: Record<string, string>; devDependencies: { mocha: string } };

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");

/** Names of the packages in a lock that bring a script for their installation. */
function scripted(lock: string): string[] {
  const { packages }: { packages: Record<string, { hasInstallScript?: boolean }> } = JSON.parse(read(lock));
  return Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ""));
}

describe("What livecore is made of", function () {
  this.timeout(60_000);

  for (const folder of [".", "tools", "web"]) {
    it(`runs no script of a package when it is installed (${folder}/.npmrc)`, () => {
      const options = { cwd: join(projectRoot, folder), encoding: "utf8" } as const;

      const answer = execFileSync("npm", ["config", "get", "ignore-scripts", "--loglevel=error"], options);

      expect(answer.trim()).equal("true");
    });
  }

  it("names each package whose script isn't run", () => {
    const page = read("docs/dependencies.md");
    const scripts = ["", "tools/", "web/"].flatMap((folder) => scripted(`${folder}package-lock.json`));

    expect(scripts.filter((name) => !page.includes(`| \`${name}\` |`))).deep.equal([]);
  });

  it("takes what fuzzes it by its hashes, every file", () => {
    const requirements = read("specs/runner/fuzz/requirements.txt").replaceAll(/^#.*\n/gm, "");
    const packages = requirements.split(/\n(?=\S)/).map((lines) => lines.split(/ *\\\n */));

    expect(packages.length).greaterThan(20);
    for (const [release = "", ...hashes] of packages) {
      expect(release).match(/^[\w.-]+==[\w.]+$/);
      expect(hashes, release).not.deep.equal([]);
      for (const hash of hashes) expect(hash.trim()).match(/^--hash=sha256:[0-9a-f]{64}$/);
    }
  });

  it("is listed in a bill of materials, with every package that ships in its version, and none for development alone", async () => {
    const folder = mkdtempSync(join(tmpdir(), "livecore-sbom-"));
    const file = join(folder, "sbom.cdx.json");
    try {
      expect(await writeSbom(file)).equal(true);

      const sbom = readFileSync(file, "utf8");

      const shipped = shippedPackages({ optional: false });
      const { dependencies, devDependencies }: Manifest = JSON.parse(read("package.json"));
      expect(shipped.length).greaterThan(Object.keys(dependencies).length);
      expect(missingFromSbom(sbom, shipped)).deep.equal([]);
      const inBrowsers = shippedPackages({ folder: join(projectRoot, "web") });
      expect(inBrowsers.map((one) => one.replace(/@.*/, ""))).include.members(["preact", "hls.js"]);
      expect(missingFromSbom(sbom, inBrowsers)).deep.equal([]);
      const mocha = `mocha@${devDependencies.mocha}`;
      expect(missingFromSbom(sbom, ["express@4.0.0", mocha])).deep.equal(["express@4.0.0", mocha]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("has its bill of materials beside what was built", function () {
    const { SPEC_BUILD: build } = process.env;
    if (!build) this.skip();

    expect(JSON.parse(read(`${build}/sbom.cdx.json`))).include({ bomFormat: "CycloneDX" });
  });
});
