import { type ChildProcess, spawn } from "node:child_process";
import { expect } from "chai";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { identify, isAlive, type ProcessRecord } from "../../deploy/processes/process/process-record.ts";
import { eventually } from "../support/eventually.ts";

const SCRIPTS = ["specs/support/stand-in.mjs", "specs/support/replacement.mjs"];

describe("A program that stands in for another one", () => {
  const children: ChildProcess[] = [];
  const replacements: ProcessRecord[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    for (const one of replacements.splice(0)) if (isAlive(one)) process.kill(one.pid, "SIGKILL");
  });

  /** `under` is a shell between this process and the one that is replaced, as below npm. */
  async function replaced(options: { under?: string[]; env?: Record<string, string> } = {}) {
    const own = [process.execPath, ...SCRIPTS, "--flag", "two words"];
    const [command = "", ...args] = [...(options.under ?? []), ...own];
    const env = { ...process.env, npm_lifecycle_event: undefined, ...options.env };
    const child = spawn(command, args, { cwd: projectRoot, env });
    children.push(child);
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += String(chunk);
    });
    const ended = new Promise<number | string>((resolve) => {
      child.once("exit", (code, signal) => resolve(code ?? signal ?? "unknown"));
    });
    await eventually(() => output.startsWith("up "), { withinMs: 10_000, what: "the replacement is up" });
    const [, pid, ...given] = output.trim().split(" ");
    const replacement = identify(Number(pid));
    if (replacement === null) throw new Error("the replacement isn't there");
    replacements.push(replacement);
    return {
      given: given.join(" "),
      lines: () => output.trim().split("\n").slice(1),
      send: (line: string) => child.stdin.write(`${line}\n`),
      signal: (name: NodeJS.Signals) => child.kill(name),
      replacement,
      ended,
    };
  }

  it("has its arguments, and its exit code is the other's", async () => {
    const { given, send, ended, lines } = await replaced();

    send("exit 7");

    expect(given).equal("--flag two words");
    expect(await ended).equal(7);
    expect(lines()).deep.equal([]);
  });

  it("ends by a signal, and the other one with it", async () => {
    const { send, ended } = await replaced();

    send("die SIGKILL");

    expect(await ended).equal("SIGKILL");
  });

  it("receives each signal once", async () => {
    const { signal, lines, send, ended } = await replaced();
    const sent: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2", "SIGTERM"];

    for (const [index, name] of sent.entries()) {
      signal(name);
      await eventually(() => lines().length > index);
    }

    send("exit 0");
    expect(await ended).equal(0);
    expect(lines()).deep.equal(sent);
  });

  it("sees its parent go when the other one is killed", async () => {
    const { signal, replacement } = await replaced();

    signal("SIGKILL");

    await eventually(() => !isAlive(replacement));
  });

  it("goes on, and the other one with it, when npm is gone", async () => {
    const shell = ["sh", "-c", '"$@"; :', "sh"];
    const { signal, ended, lines, replacement } = await replaced({
      under: shell,
      env: { npm_lifecycle_event: "start" },
    });

    signal("SIGKILL");
    await ended;
    // Longer than a program needs to notice that its parent is gone.
    const since = performance.now();
    await eventually(() => performance.now() - since > 1_000);

    expect(isAlive(replacement)).equal(true);
    expect(lines()).deep.equal([]);
  });
});
