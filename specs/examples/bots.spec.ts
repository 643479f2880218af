// @waits: for the pauses of the bots.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { expect } from "chai";
import type { Scope } from "../../contract/scopes.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { FAULTS, type Fault, openFailingFront } from "./failing-front.ts";

const SCOPES: Scope[] = ["chat:read", "chat:send", "chat:moderate", "user:read"];

describe("examples/: bots", function () {
  this.timeout(120_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  const running: ChildProcess[] = [];
  let front: Awaited<ReturnType<typeof openFailingFront>>;
  beforeEach(async () => {
    channel = await given.channel();
    front = await openFailingFront(Number(new URL(world.baseUrl).port));
  });
  afterEach(async () => {
    for (const bot of running.splice(0)) bot.kill("SIGKILL");
    await front.close();
  });

  /** Resolves once the bot says that it is there; what it prints is in errors. */
  async function started(command: string, args: string[], scopes: Scope[]) {
    const account = await given.moderatorOf(channel);
    const { token } = await account.api.ok("createApiToken", { body: { name: "bot", scopes } });
    const own = { LIVECORE_URL: front.baseUrl, LIVECORE_TOKEN: token, CHANNEL: channel.owner.username };
    const bot = spawn(command, args, { cwd: projectRoot, env: { ...process.env, ...own } });
    running.push(bot);
    let output = "";
    for (const stream of [bot.stdout, bot.stderr]) stream.on("data", (data) => (output += String(data)));
    await eventually(() => expect(output).includes("In the room of"), { withinMs: 30_000 });
    return { account, bot, output: () => output };
  }

  /** A bot that starts behind a fault, and then gets each twice. */
  async function staysThrough(start: () => ReturnType<typeof started>): Promise<void> {
    front.fail("a proxy without a worker", 1);
    const { account, bot, output } = await start();
    for (const fault of Object.keys(FAULTS) as Fault[]) {
      front.fail(fault, 2);
      await eventually(() => front.left() === 0, { what: `${fault} happens` });
      await saysHello(account);
      expect(bot.exitCode, `${fault}: ${output()}`).equal(null);
    }
  }

  async function saysHello(account: { id: string }): Promise<void> {
    const viewer = await given.user();
    const say = (content: string) =>
      viewer.api.ok("sendChatMessage", { params: channel.at, body: { content } });
    await say("!hello there");
    clock.move(2_000);
    const { uuid } = await say("!Hello");
    await eventually(async () => {
      const { items } = await world.api.ok("listChatMessages", { params: channel.at });
      expect(items.slice(-3, -1).map(({ content }) => content)).deep.equal(["!hello there", "!Hello"]);
      expect(items.at(-1)).deep.include({
        user_id: account.id,
        content: `Hello, ${viewer.username}!`,
        reply_to_id: uuid,
        badges: ["bot", "moderator"],
      });
    });
  }

  it("answers in TypeScript, by a socket, and thanks new followers", async () => {
    const { account, bot } = await started(
      process.execPath,
      ["--import", "tsx", "examples/bot-typescript/bot.ts"],
      SCOPES,
    );
    await saysHello(account);
    clock.move(2_000);

    const fan = await given.followerOf(channel);

    await eventually(async () => {
      const { items } = await world.api.ok("listChatMessages", { params: channel.at });
      expect(items.at(-1)?.content).equal(`Thank you for following, ${fan.username}!`);
    });
    const ended = new Promise((resolve) => bot.once("exit", resolve));
    bot.kill("SIGTERM");
    expect(await ended).equal(0);
  });

  it("stays in TypeScript through faults of the service and of what is before it", () =>
    staysThrough(() =>
      started(process.execPath, ["--import", "tsx", "examples/bot-typescript/bot.ts"], SCOPES),
    ));

  it("stays in Python through the same faults", async function () {
    if (spawnSync("python3", ["--version"]).status !== 0) this.skip();
    await staysThrough(() => started("python3", ["examples/bot-python/bot.py"], ["chat:read", "chat:send"]));
  });

  it("answers in Python, by long polls", async function () {
    if (spawnSync("python3", ["--version"]).status !== 0) this.skip();
    const { account } = await started("python3", ["examples/bot-python/bot.py"], ["chat:read", "chat:send"]);
    await saysHello(account);
  });
});
