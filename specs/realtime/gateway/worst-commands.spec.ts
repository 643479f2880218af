import { expect } from "chai";
import { isCommand, readAsyncApi } from "../../../contract/asyncapi-document.ts";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import { worstFields } from "../../api/contract/worst-requests/worst-requests.ts";
import { leastProcessorMs } from "../../support/processor-time.ts";
import { talker } from "../rooms/world.ts";
import { type GatewayWorld, openGatewayWorld, type Socket, until } from "./world.ts";

/** Below what a frame may have. */
const FRAME_BYTES = 8_000;
const MOST_MS = 25;
const MOST_TIMES = 10;

const commands = Object.entries(readAsyncApi().components.messages).filter(([, message]) =>
  isCommand(message),
);

describe("worst permitted frames", function () {
  this.timeout(60_000);
  let world: GatewayWorld;
  let gateway: Gateway;
  before(async () => {
    world = await openGatewayWorld();
    gateway = await world.gateway();
  });
  after(() => world.close());

  /** A new one for each: a socket with many unreadable frames is closed. */
  async function openSocket(): Promise<Socket> {
    const socket = world.socket(gateway, `/v1/ws?ticket=${world.ticketFor(talker())}`);
    await socket.next("hello");
    return socket;
  }

  async function send(socket: Socket, text: string): Promise<void> {
    const before = socket.messages.length;
    socket.ws.sendMalformed(text);
    await until(() => socket.messages[before], "an answer");
  }

  for (const [method, { examples }] of commands) {
    it(`${method} costs at most ten ordinary commands and 25 ms`, async () => {
      const stream = await world.channel();
      const text = JSON.stringify(Object(examples[0]?.payload).params ?? {});
      const params = Object(JSON.parse(text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, stream._id)));
      const command = (json: string) => `{"id":1,"method":${JSON.stringify(method)},"params":${json}}`;
      const sender = await openSocket();
      const ordinaryMs = await leastProcessorMs(() => send(sender, command(JSON.stringify(params))), {
        times: 10,
      });
      const mostMs = Math.min(MOST_MS, MOST_TIMES * ordinaryMs);

      const expensive: string[] = [];
      for (const { what, json } of worstFields({ ...params, unheard_of: 1 }, FRAME_BYTES)) {
        const socket = await openSocket();
        const ms = await leastProcessorMs(() => send(socket, command(json)), { times: 30, enoughMs: mostMs });
        if (ms > mostMs)
          expensive.push(`${what}: ${ms.toFixed(1)} ms, ordinarily ${ordinaryMs.toFixed(1)} ms`);
        socket.terminate();
      }

      expect(expensive).deep.equal([]);
    });
  }
});
