import { type ChildProcess, spawn } from "node:child_process";
import { expect } from "chai";
import { freePorts } from "../../deploy/development/stores/ports.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { givenChannels } from "../support/given-channels.ts";
import { openWorld, type World } from "../support/world.ts";

describe("examples/: front end", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  let world: World;
  let server: ChildProcess | null = null;
  let origin = "";

  before(async () => {
    const [port] = await freePorts(1);
    origin = `http://localhost:${port}`;
    world = await openWorld({ allowedOrigins: [origin] });
    const pages = spawn(process.execPath, ["examples/front-end/serve.mjs"], {
      cwd: projectRoot,
      env: {
        ...process.env,
        PORT: String(port),
        LIVECORE_URL: world.baseUrl.replace("127.0.0.1", "localhost"),
      },
    });
    server = pages;
    let output = "";
    pages.stdout.on("data", (data) => (output += String(data)));
    await eventually(() => expect(output).includes(origin), { withinMs: 15_000 });
  });
  after(async () => {
    server?.kill();
    await world?.close();
  });

  it("shows no text that was deleted or cleared, and follows as the user who signs in later", async () => {
    const given = givenChannels(world);
    const [channel, viewer, other] = [await given.channel(), await given.user(), await given.user()];
    const params = channel.at;
    const say = async ({ api }: typeof other, content: string) => {
      const sent = await api.ok("sendChatMessage", { params, body: { content } });
      return "uuid" in sent ? sent.uuid : "";
    };
    const deletes = (uuid: string) =>
      channel.owner.api.ok("deleteChatMessage", { params: { ...params, uuid } });
    await deletes(await say(other, "gone before"));
    const uuid = await say(viewer, "soon gone");
    const page = await browser.context.newPage();
    const lines = () => page.locator("#chat p").allTextContents();
    const sockets: string[] = [];
    page.on("websocket", (socket) => {
      sockets.push(new URL(socket.url()).search.replace(/=.*/, ""));
      socket.on("close", () => sockets.push("closed"));
    });
    const service = world.baseUrl.replace("127.0.0.1", "localhost");
    await page.goto(`${origin}/?service=${encodeURIComponent(service)}`);
    await page.fill("[name=channel]", channel.owner.username);
    await page.click("text=Open chat");
    await eventually(async () => expect(await lines()).deep.equal([`${viewer.username}: soon gone`]));

    await page.fill("[name=login]", viewer.username);
    await page.fill("[name=password]", "a long phrase for specs");
    await page.click("text=Sign in");
    await eventually(() => expect(sockets).have.members(["", "closed", "?ticket"]));
    await page.waitForSelector("[name=content]");
    await deletes(uuid);
    await eventually(async () => expect(await lines()).deep.equal([]));
    await say(channel.owner, "to be cleared");
    await eventually(async () => expect(await lines()).length(1));
    await channel.owner.api.ok("clearChat", { params });
    await eventually(async () => expect(await lines()).deep.equal([]));
  });

  it("signs in, reads a chat and writes to it, at an origin of its own", async () => {
    const given = givenChannels(world);
    const [channel, viewer, other] = [await given.channel(), await given.user(), await given.user()];
    const say = (content: string) =>
      other.api.ok("sendChatMessage", { params: channel.at, body: { content } });
    await say("<b>before</b>");
    const page = await browser.context.newPage();
    await page.goto(origin);

    await page.fill("[name=channel]", channel.owner.username);
    await page.click("text=Open chat");
    await page.waitForSelector(`text=${other.username}: <b>before</b>`);
    await page.waitForSelector(`text=${channel.owner.username} is offline.`);
    await page.fill("[name=login]", viewer.username);
    await page.fill("[name=password]", "a wrong phrase");
    await page.click("text=Sign in");
    await page.waitForSelector("#status:not(:empty)");
    await page.fill("[name=password]", "a long phrase for specs");
    await page.click("text=Sign in");
    await page.waitForSelector(`text=Signed in as ${viewer.username}.`);
    await page.fill("[name=content]", "/me waves");
    await page.click("text=Send");
    await page.waitForSelector(`text=${viewer.username} waves`);

    await channel.owner.api.ok("addBlockedTerm", {
      params: channel.at,
      body: { term: "spoiler", action: "hold" },
    });
    await eventually(
      async () => {
        await page.fill("[name=content]", `a spoiler ${Math.random()}`);
        await page.click("text=Send");
        await page.waitForSelector("text=A moderator will look at your message.", { timeout: 2_000 });
      },
      { what: "a held message is said to be held" },
    );

    await channel.owner.api.ok("banUser", { params: { ...channel.at, user_id: viewer.id } });
    await page.waitForSelector(`text=${viewer.username} waves`, { state: "detached" });
    expect(await page.locator("#chat p").count()).equal(1);
  });

  it("sends passwords to its own service, whatever the link says", async () => {
    const viewer = await givenChannels(world).user();
    const page = await browser.context.newPage();
    const [elsewhere] = await freePorts(1);
    const link = encodeURIComponent(`http://localhost:${elsewhere}`);
    await page.goto(`${origin}/?service=${link}&url=${link}#service=${link}`);

    await page.fill("[name=login]", viewer.username);
    await page.fill("[name=password]", "a long phrase for specs");
    await page.click("text=Sign in");

    await page.waitForSelector(`text=Signed in as ${viewer.username}.`);
  });
});
