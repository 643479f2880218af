// @waits: as long as the service asks programs to wait.
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";
import type { Scope } from "../../contract/scopes.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { openRefusingFront, RETRY_AFTER } from "./refusing-front.ts";

const BOTS = {
  TypeScript: [process.execPath, "--import", "tsx", "examples/bot-typescript/bot.ts"],
  Python: ["python3", "examples/bot-python/bot.py"],
};
const SCOPES: Scope[] = ["chat:read", "chat:send", "chat:moderate", "user:read"];
const hasPython = () => spawnSync("python3", ["--version"]).status === 0;

describe("examples/: manners of programs", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  let front: Awaited<ReturnType<typeof openRefusingFront>>;
  const running: ChildProcess[] = [];
  beforeEach(async () => {
    channel = await given.channel();
    front = await openRefusingFront(world.baseUrl);
  });
  afterEach(async () => {
    for (const bot of running.splice(0)) bot.kill("SIGKILL");
    await front.close();
  });

  const tokenOf = async (api: Channel["owner"]["api"], scopes = SCOPES) =>
    (await api.ok("createApiToken", { body: { name: "bot", scopes } })).token;
  const say = async (api: Channel["owner"]["api"], content: string) => {
    clock.move(2_000);
    return api.ok("sendChatMessage", { params: channel.at, body: { content } });
  };
  const history = async () => (await world.api.ok("listChatMessages", { params: channel.at })).items;

  function run(language: keyof typeof BOTS, token: string, url = world.baseUrl) {
    const [command = "", ...args] = BOTS[language];
    const own = { LIVECORE_URL: url, LIVECORE_TOKEN: token, CHANNEL: channel.owner.username };
    const bot = spawn(command, args, { cwd: projectRoot, env: { ...process.env, ...own } });
    running.push(bot);
    let output = "";
    for (const stream of [bot.stdout, bot.stderr]) stream.on("data", (data) => (output += String(data)));
    return { output: () => output };
  }
  async function started(...bot: Parameters<typeof run>): Promise<void> {
    const { output } = run(...bot);
    await eventually(() => expect(output()).includes("In the room of"), { withinMs: 30_000 });
  }

  for (const language of ["TypeScript", "Python"] as const)
    it(`lets no bot answer another one, in ${language}`, async function () {
      if (language === "Python" && !hasPython()) this.skip();
      const account = await given.moderatorOf(channel);
      await started(language, await tokenOf(account.api));
      const [owner, viewer] = [await given.user(), await given.user()];

      await say(world.api.as({ token: await tokenOf(owner.api, ["chat:send"]) }), "!hello");
      await say(viewer.api, "!hello");

      await eventually(async () => expect(await history()).length.above(2));
      expect((await history()).map(({ content }) => content)).deep.equal([
        "!hello",
        "!hello",
        `Hello, ${viewer.username}!`,
      ]);
    });

  for (const [language, lacking, has] of [
    ["TypeScript", "user:read", ["chat:read", "chat:send"]],
    ["TypeScript", "chat:read", ["user:read", "chat:send"]],
    ["TypeScript", "chat:send", ["user:read", "chat:read"]],
    ["Python", "chat:read", ["chat:send"]],
    ["Python", "chat:send", ["chat:read"]],
  ] as const)
    it(`names the scope ${lacking} that its token lacks, in ${language}`, async function () {
      if (language === "Python" && !hasPython()) this.skip();
      const account = await given.moderatorOf(channel);
      const { output } = run(language, await tokenOf(account.api, [...has]));
      if (lacking === "chat:send") {
        await eventually(() => expect(output()).includes("In the room of"), { withinMs: 30_000 });
        await say((await given.user()).api, "!hello");
      }
      await eventually(() => expect(output()).includes(lacking), { withinMs: 30_000 });
    });

  for (const status of [429, 503] as const)
    it(`sends one message, and waits as long as it is asked to by ${status}, in Python`, async function () {
      if (!hasPython()) this.skip();
      const account = await given.moderatorOf(channel);
      await started("Python", await tokenOf(account.api), front.baseUrl);
      front.plan({ status, isLost: false }, { status, isLost: true });

      const viewer = await given.user();
      await say(viewer.api, "!hello");

      await eventually(() => expect(front.sent).length(2), { withinMs: 20_000 });
      // Past the rule about repeated texts, so that the nonce alone keeps the message single.
      clock.move(31_000);
      await eventually(() => expect(front.sent).length(3), { withinMs: 20_000 });
      await eventually(async () => expect(await history()).length(2));
      const [first, second, third] = front.sent.map(({ at }) => at / 1_000);
      expect(Number(second) - Number(first)).least(RETRY_AFTER - 0.01);
      expect(Number(third) - Number(second)).least(RETRY_AFTER - 0.01);
      expect(new Set(front.sent.map(({ body }) => body)).size).equal(1);
      await say((await given.user()).api, "!hello");
      await eventually(async () => expect(await history()).length(4));
    });

  it("repeats a report under one id, which the service books once", async () => {
    const [{ owner }, fan] = [await given.channel(), await given.user()];
    const order = { channel_user_id: owner.id, tier: 1 } as const;
    const { checkout_id } = await fan.api.ok("createSubscriptionCheckout", { body: order });
    const data = { checkout_id, amount_cents: 499, currency: "USD", platform_id: "sub_1" };
    front.plan({ status: 503, isLost: true }, { status: 429, isLost: false });

    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["examples/webhook-sender/send.mjs", JSON.stringify({ type: "checkout.completed", data })],
      {
        cwd: projectRoot,
        env: {
          ...process.env,
          LIVECORE_URL: front.baseUrl,
          BILLING_KEY: world.systemKeys.billing,
          BILLING_WEBHOOK_SECRET: world.webhookSecrets.billing[0],
        },
      },
    );

    expect(stdout).includes("is delivered");
    expect(front.sent).length(3);
    const [id, ...more] = new Set(front.sent.map(({ headers }) => headers["webhook-id"]));
    expect(more).deep.equal([]);
    for (const { body } of front.sent) expect(JSON.parse(body).id).equal(id);
    const { items } = await fan.api.ok("listMySubscriptions");
    expect(items.map(({ status }) => status)).deep.equal(["active"]);
  });
});
