import { expect } from "chai";
import type { Frame, Page, WebSocketRoute } from "playwright-core";
import { framed, setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";

const PASSWORD = "a long phrase for specs";
const WAITING = "A moderator will review your message before others can see it.";
const DENIED = "Your message wasn't approved.";
const UNKNOWN = "We can't tell whether your message was approved.";
const SOON = { withinMs: 5_000, everyMs: 20 };
/** More than moderators have for a decision. */
const DECISION_OVER_MS = 311_000;

type Message = { type: string; channel?: string; data: Record<string, unknown> };

describe("held messages in the embedded chat", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let page: Page;
  let chat: Frame;
  let sockets: WebSocketRoute[];
  /** What the page gets of a message; null: nothing. */
  let passed: (message: Message) => Message | null;
  let received: Message[];

  beforeEach(async () => {
    [sockets, received, passed] = [[], [], (message) => message];
    channel = await given.channel();
    const ada = await given.user();
    const body = { term: "spoiler", action: "hold" } as const;
    await channel.owner.api.ok("addBlockedTerm", { params: channel.at, body });
    ({ page } = await browser.foreignPage(
      (host) =>
        `<iframe src="${world.baseUrl}/embed/chat/${channel.owner.username}?parent=${host}" width=340 height=500></iframe>`,
    ));
    chat = await framed(page);
    await page.routeWebSocket(/./, (route) => {
      sockets.push(route);
      route.connectToServer().onMessage((frame) => {
        const messages: Message[] = JSON.parse(String(frame));
        const left = messages.map((message) => passed(message)).filter((message) => message !== null);
        if (left.length > 0) route.send(JSON.stringify(left));
        received.push(...messages);
      });
    });
    await browser.context.request.post(`${world.baseUrl}/v1/auth/login`, {
      headers: { "X-Auth-Mode": "cookie", "X-Service-Client": "spec" },
      data: { login: ada.username, password: PASSWORD },
    });
    const opened = page.waitForEvent("popup");
    await chat.click("text=Log in to chat");
    const popup = await opened;
    const closed = popup.waitForEvent("close");
    await popup.click("button:enabled:text('Allow')");
    await closed;
    await has("subscribed", "user");
  });
  afterEach(async () => {
    await page?.close();
    await browser.context.clearCookies();
  });

  const has = (type: string, topic: string) =>
    eventually(() => received.some((one) => one.type === type && one.channel === topic), {
      ...SOON,
      what: `${type} on ${topic}`,
    });
  const room = () => `chat:${channel.stream.id}`;
  const push = (message: object) => sockets.at(-1)?.send(JSON.stringify([{ ts: Date.now(), ...message }]));
  const loseEventsOf = (topic: string) =>
    push({ type: "room.epoch", channel: topic, data: { epoch: 2, continuous: false } });
  async function send(): Promise<void> {
    await chat.fill(".composer textarea", "a spoiler");
    await chat.press(".composer textarea", "Enter");
  }
  async function decide(operation: "approveHeldMessage" | "denyHeldMessage"): Promise<void> {
    let held_id = "";
    await eventually(async () => {
      const { items } = await channel.owner.api.ok("listHeldMessages", { params: channel.at });
      held_id = items[0]?.id ?? "";
      return held_id !== "";
    }, SOON);
    await channel.owner.api.ok(operation, { params: { ...channel.at, held_id } });
  }
  const says = (text: string) => chat.waitForSelector(`.why [aria-hidden]:text-is(${JSON.stringify(text)})`);
  const saysNothing = () => chat.waitForSelector(".why", { state: "detached", timeout: SOON.withinMs });
  const isAnswer = ({ type, data }: Message) => type === "reply" && data?.held === true;

  for (const [operation, outcome] of [
    ["approveHeldMessage", null],
    ["denyHeldMessage", DENIED],
  ] as const) {
    it(`takes a decision that comes before the answer to the sending: ${operation}`, async () => {
      const answers: Message[] = [];
      passed = (message) => {
        if (!isAnswer(message)) return message;
        answers.push(message);
        return null;
      };
      await send();
      await decide(operation);
      await has("chat.held_resolved", "user");
      if (!outcome) await chat.waitForSelector(".line:has-text('a spoiler')");
      await chat.waitForSelector(".sending:has-text('a spoiler')");
      for (const answer of answers) push(answer);
      await chat.waitForSelector(".sending", { state: "detached" });
      if (outcome) await says(outcome);
      else expect(await chat.$(".why")).equal(null);
    });
  }

  it("clears the note about a message that was approved in a gap, once the history has it", async () => {
    await send();
    await says(WAITING);
    passed = ({ type, ...rest }) =>
      type === "chat.message" || type === "chat.held_resolved" ? null : { type, ...rest };
    await decide("approveHeldMessage");
    await has("chat.held_resolved", "user");
    await says(WAITING);
    loseEventsOf(room());
    await chat.waitForSelector(".line:has-text('a spoiler')");
    await saysNothing();
  });

  for (const topic of ["user", "chat"]) {
    it(`says that the outcome isn't known after a gap of topic ${topic}`, async () => {
      await page.clock.install();
      await send();
      await says(WAITING);
      loseEventsOf(topic === "user" ? topic : room());
      await page.clock.fastForward(DECISION_OVER_MS);
      await says(UNKNOWN);
    });

    it(`says so where a new socket can't resume topic ${topic}`, async () => {
      await page.clock.install();
      await send();
      await says(WAITING);
      passed = (message) => {
        const isLost = message.type === "subscribed" && message.channel?.startsWith(topic) === true;
        return isLost ? { ...message, data: { ...message.data, recovered: false } } : message;
      };
      received.length = 0;
      await sockets.at(-1)?.close({ code: 1001 });
      await has("subscribed", "user");
      await page.clock.fastForward(DECISION_OVER_MS);
      await says(UNKNOWN);
    });
  }

  it("takes a message for denied after a gap that was over before it was sent", async () => {
    loseEventsOf("user");
    await page.clock.install();
    await send();
    await says(WAITING);
    await page.clock.fastForward(DECISION_OVER_MS);
    await says(DENIED);
  });
});
