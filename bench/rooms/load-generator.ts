import type { Opening } from "./dialects.ts";
import type { Answer, Call, ConnectFigures, LoadSetting, SendFigures, Sending } from "./load/calls.ts";
import { end, forkOn, messageFrom } from "./processes.ts";

const MODULE = new URL("./load/main.ts", import.meta.url);
const AT_ONCE = 64;

/** The load generator's process, ready for one run. */
export async function startLoad(setting: LoadSetting) {
  const child = forkOn("load", MODULE);
  await messageFrom(child, (message) => (message === "ready" ? true : null));
  let lastId = 0;

  async function ask(call: Call): Promise<unknown> {
    const id = ++lastId;
    const answered = messageFrom(child, (message) =>
      isAnswer(message) && message.id === id ? message : null,
    );
    child.send({ id, call });
    const answer = await answered;
    if ("error" in answer) throw new Error(`the load generator: ${answer.error}`);
    return answer.value;
  }

  await ask({ name: "prepare", setting });
  return {
    connect: async (
      viewers: { room: number; opening: Opening }[],
      senders: Opening[] = [],
      atOnce = AT_ONCE,
    ): Promise<ConnectFigures> =>
      (await ask({ name: "connect", viewers, senders, atOnce })) as ConnectFigures,
    send: async (sending: Sending): Promise<SendFigures> =>
      (await ask({ name: "send", sending })) as SendFigures,
    /** Messages that all viewers have seen together. */
    seen: async (): Promise<number> => Number(await ask({ name: "seen" })),
    close: () => end(child),
  };
}

/** Our own process says nothing else. */
function isAnswer(message: unknown): message is Answer {
  return typeof message === "object" && message !== null && "id" in message;
}
