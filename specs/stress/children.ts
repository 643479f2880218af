import { type Child, isReady, startChild } from "./child.ts";

/** Runs `use`, and kills every process that it started through `start`, whatever the outcome. */
export async function withChildren<T>(use: (start: typeof startChild) => Promise<T>): Promise<T> {
  const children: Child[] = [];
  try {
    return await use((module, input, onMessage) => {
      const child = startChild(module, input, onMessage);
      children.push(child);
      return child;
    });
  } finally {
    // SIGKILL also ends a stopped process, which doesn't handle other signals.
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(children.map((child) => child.ended));
  }
}

export type Pool = {
  /** The process in a slot; the number is taken modulo the pool's size. */
  at(place: number): Child | undefined;
  deaths(): number;
};

/**
 * Runs `use` with a pool of `size` processes of a module; one that dies is replaced. All are killed at the end, whatever the
 * outcome.
 */
export async function withPool<T>(
  { size, module, input, onMessage }: PoolOptions,
  use: (pool: Pool) => Promise<T>,
): Promise<T> {
  return withChildren(async (start) => {
    let deaths = 0;
    let isOver = false;
    const fill = (place: number): Child => {
      const child = start(module, input, onMessage);
      void child.ended.then(() => {
        if (isOver) return;
        deaths++;
        members[place] = fill(place);
      });
      return child;
    };
    const members: Child[] = [];
    for (let place = 0; place < size; place++) members.push(fill(place));
    try {
      await Promise.all(members.map((child) => child.next(isReady)));
      return await use({ at: (place) => members[place % size], deaths: () => deaths });
    } finally {
      isOver = true;
    }
  });
}

type PoolOptions = { size: number; module: string; input: unknown; onMessage?: (message: unknown) => void };

/** Rejects with `what` when `work` takes longer than `ms`. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${ms} ms: ${what}`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
