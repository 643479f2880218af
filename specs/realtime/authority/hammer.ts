import { setTimeout as pause } from "node:timers/promises";
import type { Person } from "../../support/given-channels.ts";
import { now } from "../wire/clock.ts";
import type { SendingSocket } from "./sending-socket.ts";

/** One attempt to send a message, by REST or socket. */
type Attempt = { by: "rest" | "socket"; startedAt: number; outcome: string | null };

/** Each sender sends this often: moderators may send a hundred messages in half a minute, and a round takes a few seconds. */
const EVERY_MS = 150;

/** Makes a user send messages continuously, by REST and over several sockets at once, until it is stopped. */
export function hammer(person: Person, sockets: readonly SendingSocket[], streamId: string) {
  const attempts: Attempt[] = [];
  let isStopped = false;
  let sent = 0;

  async function keepSending(
    by: Attempt["by"],
    send: (content: string) => Promise<string | null>,
  ): Promise<void> {
    while (!isStopped) {
      const startedAt = now();
      const outcome = await send(`${person.username} says ${++sent}`);
      attempts.push({ by, startedAt, outcome });
      await pause(Math.max(1, EVERY_MS - (now() - startedAt)));
    }
  }

  const byRest = async (content: string) => {
    const params = { stream_id: streamId };
    const { status, code } = await person.api.call("sendChatMessage", { params, body: { content } });
    return status === 201 ? "accepted" : code;
  };
  const ways = [
    keepSending("rest", byRest),
    keepSending("rest", byRest),
    ...sockets.map((socket) => keepSending("socket", (content) => socket.send(content))),
  ];
  return {
    attempts,
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(ways);
    },
  };
}
