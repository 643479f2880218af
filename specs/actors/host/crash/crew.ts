import { type Child, isReady, startChild } from "../../../stress/child.ts";
import type { Chance } from "../../../stress/seed.ts";
import { isOrderReply, type Order, type OrderRequest, type WorkerInput } from "./orders.ts";

/** Limit for retrying an order. */
const TIMEOUT_MS = 60_000;
/** Timeout of one answer. */
const SILENCE_MS = 15_000;

type Post = {
  input: WorkerInput;
  child: Child;
  isAlive: boolean;
  waiting: Map<number, (body: string | null) => void>;
};

export type Crew = Awaited<ReturnType<typeof startCrew>>;

/**
 * Starts workers, at least two of them for orders, which are killed without warning and replaced, and a client that retries
 * until they answer.
 */
export async function startCrew(module: string, inputs: WorkerInput[], chance: Chance) {
  const posts: Post[] = await Promise.all(inputs.map(fill));
  const figures = { kills: 0, requests: 0, unknown: 0 };
  let ids = 0;

  async function fill(input: WorkerInput): Promise<Post> {
    const waiting: Post["waiting"] = new Map();
    const child = startChild(module, input, (message) => {
      if (isOrderReply(message)) waiting.get(message.id)?.(message.body);
    });
    void child.ended.then(() => {
      for (const answer of waiting.values()) answer(null);
    });
    await child.next(isReady);
    return { input, child, isAlive: true, waiting };
  }

  function once(order: Order): Promise<string | null> {
    const desks = posts.filter(({ input, isAlive }) => input.role === "api" && isAlive);
    const desk = chance.one(desks);
    const id = ++ids;
    figures.requests += 1;
    return new Promise<string | null>((resolve) => {
      const late = setTimeout(() => answer(null), SILENCE_MS);
      const answer = (body: string | null) => {
        clearTimeout(late);
        desk.waiting.delete(id);
        resolve(body);
      };
      desk.waiting.set(id, answer);
      const request: OrderRequest = { id, order };
      desk.child.send(request);
    });
  }

  return {
    figures,

    /** Resolves with the answer, retrying the same order as often as necessary. */
    async ask(order: Order): Promise<string> {
      const until = performance.now() + TIMEOUT_MS;
      while (performance.now() < until) {
        const answer = await once(order);
        if (answer !== null) return answer;
        figures.unknown += 1;
      }
      throw new Error(`nobody could say what became of ${JSON.stringify(order)}`);
    },

    /** Kills one of them with SIGKILL and replaces it. */
    async kill(): Promise<void> {
      const at = chance.below(posts.length);
      const post = posts[at];
      if (!post) return;
      figures.kills += 1;
      post.isAlive = false;
      post.child.kill("SIGKILL");
      await post.child.ended;
      posts[at] = await fill(post.input);
    },

    async stop(): Promise<void> {
      for (const { child } of posts) child.kill("SIGKILL");
      await Promise.all(posts.map(({ child }) => child.ended));
    },
  };
}
