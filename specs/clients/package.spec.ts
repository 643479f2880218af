import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { projectRoot } from "../../deploy/processes/config/project.ts";

const execute = promisify(execFile);
const clientFolder = join(projectRoot, "clients/typescript");

/** Without what npm hands down to its scripts, such as this project's `ignore-scripts`, which isn't that of the client's folder. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
const run = (program: string, args: string[], cwd: string) => execute(program, args, { cwd, env });

/** A user's program: it compiles only with the package's real types. */
const PROGRAM = `
import { createClient, LivecoreError, type LivecoreClient } from "@livecore/client";

const client: LivecoreClient = createClient({ baseUrl: "http://127.0.0.1:1" });
export const names = async (): Promise<string[]> =>
  (await client.call("listStreams", { query: { per_page: 5 } })).items.map((stream) => stream.user.username);
// @ts-expect-error: there is no such operation
export const wrong = () => client.call("listNothing");
console.log(typeof client.call, LivecoreError.name);
`;

const compilerOptions = (moduleResolution: "nodenext" | "bundler") => ({
  target: "es2022",
  lib: ["es2023", "dom"],
  module: moduleResolution === "nodenext" ? "nodenext" : "esnext",
  moduleResolution,
  strict: true,
  skipLibCheck: false,
  types: [],
  outDir: "out",
});

describe("client package", function () {
  this.timeout(120_000);

  let folder: string;
  let project: string;
  /** Paths in the package that \`npm pack\` makes. */
  let packed: string[];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "livecore-package-"));
    project = join(folder, "project");
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "user", type: "module" }));
    writeFileSync(join(project, "program.ts"), PROGRAM);
    await run("npm", ["pack", "--pack-destination", folder], clientFolder);
    const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
    const options = ["--offline", "--no-audit", "--no-fund", `--cache=${join(folder, "empty-cache")}`];
    await run("npm", ["install", ...options, join(folder, tarball)], project);
    packed = readdirSync(join(project, "node_modules/@livecore/client"), {
      recursive: true,
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name).slice(join(project, "node_modules/@livecore/client/").length),
      );
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it("contains code, types, license and README, and nothing else", () => {
    const others = packed.filter((path) => !/^dist\/.*\.(js|d\.ts)$/.test(path)).sort();

    expect(others).deep.equal(["LICENSE", "README.md", "package.json"]);
    expect(packed).include.members(["dist/index.js", "dist/index.d.ts", "dist/generated/openapi.d.ts"]);
  });

  it("installs no other package", () => {
    const installed = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")).packages;

    expect(Object.keys(installed)).deep.equal(["", "node_modules/@livecore/client"]);
  });

  for (const resolution of ["nodenext", "bundler"] as const) {
    it(`types a program that resolves modules by "${resolution}"`, async () => {
      const config = `tsconfig.${resolution}.json`;
      writeFileSync(
        join(project, config),
        JSON.stringify({ compilerOptions: compilerOptions(resolution), files: ["program.ts"] }),
      );
      const compiler = join(projectRoot, "node_modules/typescript/bin/tsc");

      // The compiler's faults are in its output.
      const { stdout } = await run(process.execPath, [compiler, "-p", config], project).catch((err) => err);

      expect(stdout).equal("");
    });
  }

  it("runs in Node without a build step of its user", async () => {
    writeFileSync(
      join(project, "program.mjs"),
      PROGRAM.replaceAll(/, type \w+|: (LivecoreClient|Promise<.*?>)/g, ""),
    );

    const { stdout } = await run(process.execPath, ["program.mjs"], project);

    expect(stdout).equal("function LivecoreError\n");
  });
});
