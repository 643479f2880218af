import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { operate } from "../support/operate.ts";

describe("arguments of npm start and of the commands", function () {
  this.timeout(60_000);
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "livecore-arguments-"));
    rmSync(home, { recursive: true });
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const start = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      const env = { ...process.env, LIVECORE_HOME: home, MONGODB_URL: "", REDIS_URL: "" };
      const command = [join(projectRoot, "deploy/start.mjs"), ...args];
      execFile(process.execPath, command, { env, timeout: 30_000 }, (err, stdout, stderr) => {
        resolve({ code: err === null ? 0 : Number(err.code), stdout, stderr });
      });
    });

  for (const args of [["--help"], ["-h"], ["--dev", "--help"]]) {
    it(`npm start explains itself and starts nothing with ${args.join(" ")}`, async () => {
      const { code, stdout, stderr } = await start(...args);

      expect({ code, stderr }).deep.equal({ code: 0, stderr: "" });
      expect(stdout).include("Usage: npm start").include("SIGUSR2").include("pid file");
      expect(existsSync(home)).equal(false);
    });
  }

  it("npm start refuses an argument that it doesn't know, and starts nothing", async () => {
    const { code, stdout, stderr } = await start("--port", "8080");

    expect({ code, stdout }).deep.equal({ code: 2, stdout: "" });
    expect(stderr).include("There is no argument --port 8080.").include("Usage: npm start");
    expect(existsSync(home)).equal(false);
  });

  const COMMANDS = ["actors", "keys", "migrate", "restored", "rollups", "search", "staff"];
  const MODULES: readonly (readonly [script: string, module: string])[] = [
    ...COMMANDS.map((name) => [name, `deploy/commands/${name}`] as const),
    ...["media", "demo"].map((name) => [name, `deploy/development/${name}/main`] as const),
  ];
  for (const [script, module] of MODULES) {
    it(`npm run ${script} refuses an unknown argument and does nothing`, async () => {
      const { code, stdout, stderr } = await operate(module, ["--bogus"], {
        home,
        database: "none",
      });

      expect({ code, stdout }).deep.equal({ code: 2, stdout: "" });
      expect(stderr).match(/^(.*--bogus.*\n\n|\n)?Usage: npm run /);
      expect(existsSync(home)).equal(false);
    });

    it(`npm run ${script} explains itself with --help and does nothing`, async () => {
      const { code, stdout, stderr } = await operate(module, ["--help"], {
        home,
        database: "none",
      });

      expect({ code, stderr }).deep.equal({ code: 0, stderr: "" });
      expect(stdout).match(/^Usage: npm run /);
      expect(existsSync(home)).equal(false);
    });
  }

  it("npm's shell is replaced by the service, so that npm's signals reach it", () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(
      readFileSync(join(projectRoot, "package.json"), "utf8"),
    );
    const starts = Object.values(scripts).filter((script) => script.includes("deploy/start.mjs"));

    expect(starts.length).greaterThan(5);
    expect(starts.filter((script) => !script.startsWith("exec node deploy/start.mjs"))).deep.equal([]);
  });
});
