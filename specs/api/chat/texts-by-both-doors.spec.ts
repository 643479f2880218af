import { expect } from "chai";
import type { ServerMessage } from "../../../contract/frames.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { type Channel, type Given, givenChannels, type Person } from "../../support/given-channels.ts";
import { openWorld, type World } from "../../support/world.ts";

const MARK = "\u0301";
/** By what they are. All of it is a text, whatever it would be elsewhere. */
const TEXTS: Record<string, string> = {
  HTML: `<img src=x onerror="alert(1)"><script>alert(2)</script>&amp;`,
  JSON: `"}],"seq":7,"type":"mod.action","data":{"\\u0000":1}`,
  "a database's words": `$where {"$ne":null} $[] \${code} {{code}}`,
  "a script's words": `:1 -1 0-0 "user_id":"0" held:7`,
  "line separators": "one\u2028two\u2029three",
  "a letter under a heap of marks": `a${MARK.repeat(499)}`,
  "letters of both directions": "\u200fשלום world مرحبا\u200e",
  "joined pictures": "👩‍👩‍👧‍👦 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} 1\ufe0f\u20e3",
  "hidden characters beside ink": "\ufeffa\u200bb\u00adc\u2060",
  "the ends of the planes beside ink": "a\u{ffff}\u{10ffff}\ufffe",
};
const REFUSED: Record<string, string> = {
  nothing: "",
  "spaces of all kinds": " \u00a0\u3000\u2003",
  "what has no ink": "\u200b\u200d\u2060\ufeff",
  "fillers and blanks": "\u3164\u115f\u2800\u180e",
  "tags without a flag": "\u{e0067}\u{e0062}",
  "a mark without a letter": "\u0301",
  "a joiner of marks": "\u034f",
  noncharacters: "\u{ffff}\u{10ffff}\ufffe",
  "nothing but controls of direction": "\u202e\u2066",
  "half a character": "a\ud800b",
  "halves in the wrong order": "\ude00\ud83d",
  "a control character": "bell\u0007",
  "a line break": "one\ntwo",
  "501 characters": "é".repeat(501),
  "500 characters and a control of direction": `${"é".repeat(500)}\u202e`,
  "a heap of marks": `a${MARK.repeat(1_500)}`,
};

describe("a text, whatever it holds", () => {
  let world: World;
  let given: Given;
  let channel: Channel;
  let author: Person;
  let socket: Socket;
  let viewer: Socket;
  before(async () => {
    world = await openWorld({ clock: movableClock() });
    given = givenChannels(world);
    channel = await given.channel();
    author = await given.user();
    const { ticket } = await author.api.ok("createWsTicket");
    socket = new Socket(`${world.socketUrl}/v1/ws?ticket=${ticket}`);
    viewer = new Socket(`${world.socketUrl}/v1/ws/chat/${channel.at.stream_id}`);
    await viewer.next("subscribed");
  });
  after(async () => {
    socket?.terminate();
    viewer?.terminate();
    await world.close();
  });
  beforeEach(() => world.clock.move(2_000));

  const byRest = (content: string) =>
    author.api.call("sendChatMessage", { params: channel.at, body: { content } });
  const bySocket = async (content: string) =>
    Object(await socket.malformed("chat.send", { channel: `chat:${channel.at.stream_id}`, content }));
  const last = ({ data }: ServerMessage = { type: "none" }): unknown => data;

  for (const [what, content] of Object.entries(TEXTS)) {
    it(`is sent and shown as it is: ${what}`, async () => {
      const { status, body } = await byRest(content);
      expect(status).equal(201);
      expect(body).include({ content });
      world.clock.move(30_000);
      const { data } = await bySocket(content);
      expect(data.message).include({ content });

      await eventually(() => expect(last(viewer.ofType("chat.message").at(-1))).deep.equal(data.message));
      const { items } = await world.api.ok("listChatMessages", { params: channel.at, query: { limit: 2 } });
      expect(items).deep.equal([body, data.message]);
      expect(viewer.problems).deep.equal([]);
    });
  }

  for (const [what, content] of Object.entries(REFUSED)) {
    it(`is refused by both doors: ${what}`, async () => {
      const { seq } = await world.api.ok("getChatRoom", { params: channel.at });

      expect((await byRest(content)).code).equal("validation_failed");
      expect((await bySocket(content)).error).include({ code: "validation_failed" });

      expect((await world.api.ok("getChatRoom", { params: channel.at })).seq).equal(seq);
    });
  }
});
