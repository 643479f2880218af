import { type Child, startChild } from "./child.ts";

/** Runs `use`, and ends every process that it started through `start`, however it goes. */
export async function withChildren<T>(use: (start: typeof startChild) => Promise<T>): Promise<T> {
  const children: Child[] = [];
  try {
    return await use((module, input, hear) => {
      const child = startChild(module, input, hear);
      children.push(child);
      return child;
    });
  } finally {
    // Also one that is stopped: it can't hear anything gentler.
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(children.map((child) => child.ended));
  }
}

/** Rejects with `what` when `work` takes longer than `ms`. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${ms} ms: ${what}`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
