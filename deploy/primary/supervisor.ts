import type { Log } from "../../store/log.ts";
import { WORKER_KINDS, type WorkerKind } from "./messages.ts";
import { createSlot, type Slot } from "./slot.ts";
import { forkWorker, type WorkerProcess } from "./worker-process.ts";

export type WorkerCount = { kind: WorkerKind; wanted: number; ready: number; restarts: number };

export type Supervisor = {
  /** Forks all workers; resolves when each has been ready. `gaveUp` tells when that will never be. */
  start(): Promise<void>;
  /** Resolves with the reason when one worker keeps dying; never otherwise. */
  gaveUp: Promise<string>;
  /**
   * Replaces all workers, kind by kind: new ones are started one after the other, and once they serve, all old ones of
   * the kind leave together. So a socket comes to a new worker at once, instead of to an old one that leaves next; for
   * that there are twice as many of the kind for a moment.
   * Stops at the first that can't be replaced. A call during another does nothing.
   */
  roll(): Promise<void>;
  /**
   * Ends all workers within `graceMs`: sockets first, which still reach their clients through the api workers, then
   * requests, then jobs, which still publish what the last requests left.
   */
  drain(graceMs: number): Promise<void>;
  counts(): WorkerCount[];
  /** Metrics of each ready worker that answers. */
  metrics(): Promise<object[][]>;
};

export function createSupervisor(options: {
  workers: Record<WorkerKind, number>;
  /** The module that a worker of this kind runs. */
  entry: (kind: WorkerKind) => string;
  execArgv: readonly string[];
  env: Record<string, string>;
  graceMs: number;
  log: Log;
  /** Called with all living workers whenever they change. */
  changed: (workers: { pid: number; kind: WorkerKind }[]) => void;
}): Supervisor {
  const { workers, entry, execArgv, env, log } = options;
  const living = new Set<WorkerProcess>();
  let giveUp: (reason: string) => void = () => undefined;
  const gaveUp = new Promise<string>((resolve) => {
    giveUp = resolve;
  });
  let rolling = false;
  let draining = false;

  const fork = (kind: WorkerKind) => {
    const worker = forkWorker({ kind, entry: entry(kind), execArgv, env });
    living.add(worker);
    worker.tellAbsent(absent());
    void worker.ended.then(() => living.delete(worker));
    return worker;
  };
  const changed = () => {
    tellAbsent();
    options.changed([...living].map(({ pid, kind }) => ({ pid, kind })));
  };
  const slots: Slot[] = WORKER_KINDS.flatMap((kind) =>
    Array.from({ length: workers[kind] }, () =>
      createSlot({
        kind,
        fork: () => fork(kind),
        othersServe: () => kind === "realtime" && of(kind).some((slot) => slot.current()?.isReady() === true),
        log,
        giveUp: (reason) => giveUp(reason),
        changed,
      }),
    ),
  );
  const of = (kind: WorkerKind) => slots.filter((slot) => slot.kind === kind);
  const ready = (kind: WorkerKind) => of(kind).filter((slot) => slot.current()?.isReady()).length;

  /** A kind that this machine is to have none of isn't missed. */
  const absent = () => WORKER_KINDS.filter((kind) => workers[kind] > 0 && ready(kind) === 0);
  let lastTold = "";
  function tellAbsent(): void {
    const kinds = absent();
    if (kinds.join() === lastTold) return;
    lastTold = kinds.join();
    for (const worker of living) worker.tellAbsent(kinds);
  }

  /** False when one couldn't be; those that were have still taken over. */
  async function replace(all: readonly Slot[]): Promise<boolean> {
    const succeeded: Slot[] = [];
    for (const slot of all) {
      if (draining || !(await slot.succeed(options.graceMs))) break;
      succeeded.push(slot);
    }
    await Promise.all(succeeded.map((slot) => slot.retire(options.graceMs)));
    return succeeded.length === all.length;
  }

  return {
    gaveUp,

    async start() {
      for (const slot of slots) slot.start();
      await Promise.all(slots.map((slot) => slot.firstReady));
    },

    async roll() {
      if (rolling || draining) return;
      rolling = true;
      log.info("replacing all workers, kind by kind");
      try {
        for (const kind of WORKER_KINDS) if (!(await replace(of(kind)))) return;
        log.info("all workers are replaced");
      } finally {
        rolling = false;
      }
    },

    async drain(graceMs) {
      draining = true;
      const deadline = performance.now() + graceMs;
      for (const kind of WORKER_KINDS) {
        log.info({ worker: kind }, "draining workers");
        const left = Math.max(0, deadline - performance.now());
        const drained = Promise.all(of(kind).map((slot) => slot.drain(left)));
        // From here on they aren't ready any more.
        tellAbsent();
        await drained;
      }
    },

    counts: () =>
      WORKER_KINDS.map((kind) => ({
        kind,
        wanted: workers[kind],
        ready: ready(kind),
        restarts: of(kind).reduce((sum, slot) => sum + slot.restarts(), 0),
      })),

    async metrics() {
      const answers = await Promise.all(
        [...living].filter((worker) => worker.isReady()).map((worker) => worker.metrics()),
      );
      return answers.filter((values) => values !== null);
    },
  };
}
