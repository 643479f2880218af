import { setTimeout as pause } from "node:timers/promises";
import type { Answer, Api } from "./api.ts";

/**
 * Retries when the connection broke before there was an answer, as clients do; any answer is final. After `tries` tries it throws
 * the last failure.
 */
export async function throughBrokenConnections(ask: () => Promise<Answer>, tries = 5): Promise<Answer> {
  for (let left = tries; ; left--) {
    try {
      return await ask();
    } catch (err) {
      // fetch throws a TypeError when there is no answer.
      if (!(err instanceof TypeError) || left <= 1) throw err;
    }
  }
}

const TRIES = 5;

/**
 * Sends "1", "2", "3" … by REST, each after the answer to the one before, until it is stopped. A message whose connection broke,
 * or for which Redis took too long, is sent again with its nonce. The talkers take turns, so that none exceeds a rate limit.
 */
export function talkSteadily(options: {
  talkers: readonly { api: Api }[];
  at: { stream_id: string };
  everyMs: number;
}) {
  const { talkers, at, everyMs } = options;
  const acknowledged: string[] = [];
  const refused: Answer[] = [];
  let repeated = 0;
  const stopped = new AbortController();

  async function talk(): Promise<void> {
    for (let n = 1; !stopped.signal.aborted; n++) {
      const body = { content: String(n), nonce: `steady-${n}` };
      const talker = talkers[n % talkers.length];
      if (!talker) throw new Error("Nobody is there to talk");
      const send = () => talker.api.call("sendChatMessage", { params: at, body });
      let answer = await throughBrokenConnections(send);
      for (let left = TRIES; answer.code === "unavailable" && left > 0; left--) {
        repeated++;
        await pause(everyMs);
        answer = await throughBrokenConnections(send);
      }
      if (answer.status === 201) acknowledged.push(body.content);
      else refused.push(answer);
      await pause(everyMs);
    }
  }
  const talking = talk();

  return {
    /** In the order in which they were sent. */
    acknowledged,
    refused,
    /** Number of answers `unavailable`, after which the message was sent again. */
    repeated: () => repeated,
    /** Resolves after the last answer; rejects when a message got none. */
    async stop(): Promise<void> {
      stopped.abort();
      await talking;
    },
  };
}
