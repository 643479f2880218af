import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { newId } from "../../base/ids.ts";
import { makeSocketFolder } from "../../deploy/processes/upgrade-splice/socket-folder.ts";
import { bundle } from "../support/bundle.ts";
import { eventually } from "../support/eventually.ts";

/** Missing in a bare chroot. */
const HAS_TERMINALS = existsSync("/dev/pts/ptmx") && existsSync("/usr/bin/script");
type Counts = { written: number; dropped: number };
const LINES_BEYOND_ALL_BUFFERS = 8_000;
const LAST_LINES = 2_000;

describe("A process whose standard output nobody reads", () => {
  const children: ChildProcess[] = [];
  let folder: ReturnType<typeof makeSocketFolder>;
  let socketPath: string;

  before(() => {
    folder = makeSocketFolder(null);
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });
  after(() => folder.remove());

  /** Its lines go to a file or device. */
  async function startedInto(path: string): Promise<ChildProcess> {
    socketPath = join(folder.path, `chatty-${newId()}`);
    const command = `exec ${process.execPath} ${await bundle("specs/support/chatty-process.ts")} > ${path}`;
    const env = { ...process.env, CHATTY_SOCKET: socketPath, CHATTY_READABLE: "" };
    const child = spawn("sh", ["-c", command], { env, stdio: "inherit" });
    children.push(child);
    return child;
  }

  async function started(kind: "pipe" | "terminal"): Promise<ChildProcess> {
    socketPath = join(folder.path, `chatty-${newId()}`);
    const chatty = await bundle("specs/support/chatty-process.ts");
    const command = `${process.execPath} ${chatty}`;
    const [program, args] =
      kind === "pipe" ? [process.execPath, [chatty]] : ["script", ["-qfec", command, "/dev/null"]];
    const env = {
      ...process.env,
      CHATTY_SOCKET: socketPath,
      CHATTY_READABLE: kind === "terminal" ? "1" : "",
    };
    const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    child.stdout.pause();
    children.push(child);
    return child;
  }

  const answer = async (path: string): Promise<string> => {
    const asked = request({ socketPath, path });
    asked.end();
    const [response] = await once(asked, "response");
    return text(response);
  };

  const requireDrops = async () => {
    const { written, dropped } = JSON.parse(await answer("/"));
    expect(written).greaterThan(LINES_BEYOND_ALL_BUFFERS);
    expect(dropped).within(1, written);
  };

  for (const kind of ["pipe", "terminal"] as const) {
    it(`goes on answering requests after a ${kind} is full, and drops lines`, async function () {
      if (kind === "terminal" && !HAS_TERMINALS) {
        process.stdout.write("      There are no terminals here (script, /dev/pts).\n");
        this.skip();
      }
      await started(kind);

      await eventually(requireDrops);

      expect(JSON.parse(await answer("/stop"))).include.keys("written");
    });
  }

  it("logs how many lines it dropped once it is read again, and loses no line before its exit", async () => {
    const child = await started("pipe");
    await eventually(requireDrops);

    const read = child.stdout ? text(child.stdout) : Promise.resolve("");
    await eventually(async () => (await answer("/")) !== "");
    const { written, dropped } = JSON.parse(await answer("/stop"));
    const lines = (await read)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));

    const reported = lines.filter(({ msg }) => msg === "log lines dropped: standard output full or unread");
    expect(reported.reduce((sum, line) => sum + line.lines, 0)).equal(dropped);
    expect(lines.filter(({ msg }) => msg === "chatty: another line")).length(written - dropped);
    expect(lines.filter(({ msg }) => msg === "chatty: last line")).length(LAST_LINES);
  });

  it("counts lines for which the disk has no room, and goes on", async () => {
    await startedInto("/dev/full");
    const counts = () => answer("/").then((body): Counts => JSON.parse(body));

    await eventually(async () => expect((await counts()).dropped).above(1_000));

    const { written, dropped } = await counts();
    expect(dropped).equal(written);
  });

  it("logs how many lines were lost while its reader was gone", async () => {
    const path = join(folder.path, `fifo-${newId()}`);
    execFileSync("mkfifo", [path]);
    const first = spawn("cat", [path], { stdio: ["ignore", "ignore", "inherit"] });
    children.push(first);
    await startedInto(path);
    await eventually(() => answer("/").then(() => true));
    first.kill("SIGKILL");
    await eventually(requireDrops);

    const second = spawn("cat", [path], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(second);
    const read = text(second.stdout);
    await eventually(async () => (await answer("/")) !== "");
    await answer("/stop");

    expect(await read).include("log lines dropped: standard output full or unread");
  });
});
