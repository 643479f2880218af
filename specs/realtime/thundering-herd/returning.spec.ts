import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { SocketLike } from "../../../clients/typescript/src/sockets/options.ts";
import { connectRoom } from "../../../clients/typescript/src/sockets/room-client.ts";
import { eventually } from "../../support/eventually.ts";
import { now } from "../wire/clock.ts";

/** Of a socket: what the server says before it is lost, and nothing when it can't even be reached. */
type Life = { says: object[]; code: number };

const hello = (retry_after_ms: number) => ({ type: "hello", data: { retry_after_ms } });
const bye = (retry_after_ms: number) => ({ type: "bye", data: { retry_after_ms } });
const streamId = newId();
const channel = `chat:${streamId}`;
const subscribed = { type: "subscribed", channel, data: { epoch: 1, seq: 0, recovered: null, state: {} } };

/** How long the reference client waited before each of its sockets but the first, in these lives; ms. */
async function waits(lives: Life[], options: { random: number; baseDelayMs: number }): Promise<number[]> {
  const opened: number[] = [];
  let lost = now();
  const waited: number[] = [];
  class Scripted implements SocketLike {
    readyState = 1;
    onopen = null;
    onmessage: SocketLike["onmessage"] = null;
    onclose: SocketLike["onclose"] = null;
    onerror = null;
    constructor() {
      if (opened.length > 0) waited.push(now() - lost);
      const life = lives[opened.length];
      opened.push(now());
      if (life) setImmediate(() => this.live(life));
    }
    send = () => undefined;
    close = () => undefined;
    private live({ says, code }: Life): void {
      if (says.length > 0) this.onmessage?.({ data: JSON.stringify(says) });
      lost = now();
      this.onclose?.({ code, reason: "" });
    }
  }
  const client = connectRoom({
    url: "ws://nowhere",
    streamId,
    WebSocket: Scripted,
    random: () => options.random,
    baseDelayMs: options.baseDelayMs,
  });
  await eventually(() => opened.length > lives.length);
  client.close();
  return waited;
}

/** A timer is late by some time on a busy machine, and never early by more than a millisecond. */
function expectWaits(waited: number[], expected: number[]): void {
  expect(waited).length(expected.length);
  for (const [i, ms] of expected.entries()) expect(waited[i]).within(ms - 2, ms + 150);
}

const lost = { says: [], code: 1006 };

describe("A client that lost its socket", () => {
  it("spreads its first return already, over a random part of its own time, and then of ever more", async () => {
    expectWaits(await waits([lost, lost, lost], { random: 0.5, baseDelayMs: 80 }), [40, 80, 160]);
  });

  it("spreads it over the time that the server has announced for the case of its death", async () => {
    const died = { says: [hello(500), subscribed], code: 1006 };

    expectWaits(await waits([died, died], { random: 0.5, baseDelayMs: 10 }), [250, 250]);
  });

  it("spreads it over what was announced in the good-bye, also when that is the second in a row", async () => {
    const leaving = { says: [hello(0), subscribed, bye(300)], code: 1012 };
    const full = { says: [hello(0), bye(200)], code: 1012 };

    expectWaits(await waits([leaving, full], { random: 0.5, baseDelayMs: 10 }), [150, 100]);
  });

  it("waits ever longer for a server that takes it and loses it again before it was subscribed", async () => {
    const weak = { says: [hello(0)], code: 1006 };

    expectWaits(await waits([weak, weak, weak, weak], { random: 1, baseDelayMs: 20 }), [20, 40, 80, 160]);
  });
});
