import { expect } from "chai";
import {
  CLOSE_CODES,
  connectRoom,
  createClient,
  type LivecoreClient,
  SessionChangedError,
} from "../../clients/typescript/src/index.ts";
import { eventually } from "../support/eventually.ts";
import { CheckedSocket } from "../support/frames/checked-socket.ts";
import { givenChannels } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { newAccount } from "./new-account.ts";
import { watchedFetch } from "./watched-fetch.ts";

describe("The client's sockets, when somebody else signs in", () => {
  const { world } = setUpWorld();
  let streamId: string;
  before(async () => {
    streamId = (await givenChannels(world).channel()).stream.id;
  });
  const opened: { close(): void }[] = [];
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
  });

  /** Sockets that lose what is sent on the first of them. */
  function losing() {
    const sockets: { frames: string[] }[] = [];
    class Losing extends CheckedSocket {
      readonly frames: string[] = [];
      readonly #isLosing = sockets.push(this) === 1;

      override send(data: string): void {
        this.frames.push(data);
        if (!this.#isLosing || !data.includes("chat.send")) super.send(data);
      }
    }
    const sends = () =>
      sockets.flatMap((one) => one.frames).filter((frame) => frame.includes("chat.send")).length;
    return { WebSocket: Losing, sockets, sends };
  }
  const outcome = (call: Promise<unknown>) => call.catch((err: unknown) => err);

  const ways: [string, (client: LivecoreClient) => Promise<unknown>][] = [
    ["a sign-in", (client) => client.call("register", { body: newAccount() })],
    ["the end of the session", (client) => client.attempt("getMe")],
  ];
  for (const [what, change] of ways) {
    it(`end with ${what}, and nothing is sent again by the next`, async () => {
      const { WebSocket, sockets, sends } = losing();
      const { fetch, spoil, answerInstead } = watchedFetch();
      const client = createClient({ baseUrl: world.baseUrl, fetch, WebSocket });
      await client.call("register", { body: newAccount() });
      const ends: unknown[] = [];
      const live = client.live({ baseDelayMs: 5, onEnd: (...end) => void ends.push(...end) });
      opened.push(live);
      const own = live.subscribe("user");
      await eventually(() => own.isLive);
      const words = outcome(live.say(streamId, "Ada's words"));
      expect(sends()).equal(1);

      spoil("/v1/users/me");
      const ended = JSON.stringify({ code: "invalid_token", message: "No more." });
      answerInstead("/v1/auth/refresh", new Response(ended, { status: 401 }));
      await change(client);
      live.drop();

      expect(await words).instanceOf(SessionChangedError);
      expect(await outcome(live.say(streamId, "by the old socket"))).instanceOf(SessionChangedError);
      expect(ends[0]).equal(CLOSE_CODES.normal);
      expect(ends[1]).instanceOf(SessionChangedError);
      expect(own.isLive).equal(false);
      const next = client.live();
      opened.push(next);
      await next.call("ping", {});
      expect([sockets.length, sends()]).deep.equal([2, 1]);
    });
  }

  it("end with an identity that they were given", async () => {
    const { WebSocket, sends } = losing();
    const client = createClient({ baseUrl: world.baseUrl });
    await client.call("register", { body: newAccount() });
    const { identity: signal } = client;
    const at = { url: world.socketUrl, streamId, WebSocket, baseDelayMs: 5 };
    const room = connectRoom({ ...at, signal, ticket: () => client.ticket() });
    opened.push(room);
    await eventually(() => room.isLive);
    const words = outcome(room.say("Ada's words"));

    await client.call("register", { body: newAccount() });

    expect(await words).instanceOf(SessionChangedError);
    expect([room.isLive, sends()]).deep.equal([false, 1]);
    expect(() => connectRoom({ ...at, signal })).throw(SessionChangedError);
  });
});
