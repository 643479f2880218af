import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { expect } from "chai";
import { projectRoot } from "../../deploy/config/project.ts";
import type { Scope } from "../contract/scopes.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";

describe("examples/: bots", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  const running: ChildProcess[] = [];
  beforeEach(async () => {
    channel = await given.channel();
  });
  afterEach(() => {
    for (const bot of running.splice(0)) bot.kill("SIGKILL");
  });

  /** Resolves once the bot says that it is there; what it prints is in errors. */
  async function started(command: string, args: string[], scopes: Scope[]) {
    const account = await given.moderatorOf(channel);
    const { token } = await account.api.ok("createApiToken", { body: { name: "bot", scopes } });
    const own = { LIVECORE_URL: world.baseUrl, LIVECORE_TOKEN: token, CHANNEL: channel.owner.username };
    const bot = spawn(command, args, { cwd: projectRoot, env: { ...process.env, ...own } });
    running.push(bot);
    let output = "";
    for (const stream of [bot.stdout, bot.stderr]) stream.on("data", (data) => (output += String(data)));
    await eventually(() => expect(output).includes("In the room of"), { withinMs: 30_000 });
    return { account, bot, output: () => output };
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
      expect(items).length(3);
      expect(items[2]).deep.include({
        user_id: account.id,
        content: `Hello, ${viewer.username}!`,
        reply_to_id: uuid,
        badges: ["bot", "moderator"],
      });
    });
  }

  it("answers in TypeScript, by a socket, and thanks new followers", async () => {
    const scopes: Scope[] = ["chat:read", "chat:send", "chat:moderate", "user:read"];
    const { account, bot } = await started(
      process.execPath,
      ["--import", "tsx", "examples/bot-typescript/bot.ts"],
      scopes,
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

  it("answers in Python, by long polls", async function () {
    if (spawnSync("python3", ["--version"]).status !== 0) this.skip();
    const { account } = await started("python3", ["examples/bot-python/bot.py"], ["chat:read", "chat:send"]);
    await saysHello(account);
  });
});
