import { expect } from "chai";
import { createApi } from "../../support/api.ts";
import { type Acts, type ActsWorld, answerTo, going } from "./world.ts";

const WAIT_SECONDS = 5;

type Page = { items: { uuid: string }[]; cursor: string };

/** A bot that reads messages by long polls along its cursor: in the end it has received what history has, once and in order. */
export async function readAsBot({ load, room, service, signal }: ActsWorld): Promise<Acts> {
  const { channel } = room;
  const user = await load.given.user();
  const { token } = await user.api.ok("createApiToken", { body: { name: "reader", scopes: ["chat:read"] } });
  const bot = createApi(service.http).as({ token });
  const read: string[] = [];
  let reads = 0;

  async function next(query: Record<string, string | number>): Promise<Page> {
    const answer = await answerTo(() =>
      bot.call("listBotMessages", { query: { channel: channel.owner.username, limit: 100, ...query } }),
    );
    expect(answer.status, `a bot's read: ${answer.code}`).equal(200);
    return Object(answer.body);
  }

  // Before the first message.
  let { cursor } = await next({});

  /** False when the page was empty. */
  async function go(wait: number): Promise<boolean> {
    const page = await next({ after: cursor, wait });
    read.push(...page.items.map(({ uuid }) => uuid));
    cursor = page.cursor;
    reads += 1;
    return page.items.length > 0;
  }

  async function work(): Promise<void> {
    while (!signal.aborted) await go(WAIT_SECONDS);
  }

  return {
    done: () => reads,
    over: going(work),
    async check() {
      while (await go(0));
      expect(read, "what a bot was given").deep.equal(await load.historyOf(room));
      return { botReads: reads, botMessages: read.length };
    },
    close: () => undefined,
  };
}
