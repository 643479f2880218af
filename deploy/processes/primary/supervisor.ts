import type { EveningState } from "../../../api/discovery/site/development.ts";
import type { Log } from "../../../base/log.ts";
import { WORKER_KINDS, type WorkerKind } from "../config/worker-kinds.ts";
import type { StoreState } from "../process/messages.ts";
import { createSlot, type Slot } from "./slot.ts";
import { forkWorker, READY_WITHIN_MS, type WorkerProcess } from "./worker-process.ts";

export type WorkerCount = { kind: WorkerKind; wanted: number; ready: number; restarts: number };

export type Supervisor = {
  /**
   * Forks all workers; resolves when each has been ready once, or keeps dying while others of its kind serve. When that will never
   * happen, `gaveUp` resolves instead.
   */
  start(): Promise<void>;
  /** Resolves with the reason when a worker keeps dying; otherwise it stays pending. */
  gaveUp: Promise<string>;
  /**
   * A rolling restart, kind by kind: new workers are started one after the other, and once all are ready, the kind's old workers
   * are drained together. So a reconnecting socket reaches a new worker at once, instead of an old one that is drained next; the
   * price is twice as many workers of the kind for a moment. Stops at the first worker that can't be replaced. A call during
   * another one does nothing.
   */
  roll(): Promise<void>;
  /**
   * Drains all workers within `graceMs`: first realtime, whose sockets still reach their clients through the api workers, then
   * api, then jobs, which still publish what the last requests left.
   */
  drain(graceMs: number): Promise<void>;
  counts(): WorkerCount[];
  /** Passes what stands of the stores to all workers. One that is forked later gets the next report, two seconds later at most. */
  sendStores(state: StoreState): void;
  /** Passes how the demo evening is to all workers, also to those that are forked later. */
  sendEvening(state: EveningState): void;
  /** Metrics of each ready worker that answers. */
  metrics(): Promise<object[][]>;
};

export function createSupervisor(options: {
  workers: Record<WorkerKind, number>;
  /** The module that a worker of this kind runs. */
  entry: (kind: WorkerKind) => string;
  execArgv: readonly string[];
  /** What a worker of this kind gets. */
  env: (kind: WorkerKind) => Record<string, string>;
  graceMs: number;
  log: Log;
  /** How long a worker may take until it is ready; only specs shorten it. */
  readyWithinMs?: number;
  /** Called every few seconds while a worker waits for the database's schema. */
  onWaiting: () => void;
  /** Called when somebody asks for the demo evening. */
  onEvening?: () => void;
  /** Called with all live workers whenever they change. */
  changed: (workers: { pid: number; kind: WorkerKind }[]) => void;
}): Supervisor {
  const { workers, entry, execArgv, env, log, onWaiting, readyWithinMs = READY_WITHIN_MS } = options;
  const { onEvening = () => undefined } = options;
  const living = new Set<WorkerProcess>();
  let giveUp: (reason: string) => void = () => undefined;
  const gaveUp = new Promise<string>((resolve) => {
    giveUp = resolve;
  });
  let rolling = false;
  let draining = false;
  let evening: EveningState | null = null;

  const fork = (kind: WorkerKind) => {
    const worker = forkWorker({
      kind,
      entry: entry(kind),
      execArgv,
      env: env(kind),
      readyWithinMs,
      onWaiting,
      onEvening,
      onSilence(isSilent) {
        const about = { worker: kind, workerPid: worker.pid };
        if (isSilent) log.error(about, "worker not ready: no heartbeat");
        else log.warn(about, "worker ready again: heartbeat received");
        changed();
      },
    });
    living.add(worker);
    worker.sendAbsent(absent());
    if (evening) worker.sendEvening(evening);
    void worker.ended.then(() => living.delete(worker));
    return worker;
  };
  const changed = () => {
    sendAbsent();
    options.changed([...living].map(({ pid, kind }) => ({ pid, kind })));
  };
  const slots: Slot[] = WORKER_KINDS.flatMap((kind) =>
    Array.from({ length: workers[kind] }, () =>
      createSlot({
        kind,
        fork: () => fork(kind),
        othersServe: () => ready(kind) > 0,
        hasClients: kind === "realtime",
        log,
        giveUp: (reason) => giveUp(reason),
        changed,
      }),
    ),
  );
  const of = (kind: WorkerKind) => slots.filter((slot) => slot.kind === kind);
  const ready = (kind: WorkerKind) => of(kind).filter((slot) => slot.current()?.isReady()).length;

  /**
   * Kinds of which no worker is ready; all once the service stops, so that balancers leave before it refuses them. A kind that is
   * configured to have no workers isn't absent.
   */
  const absent = () => WORKER_KINDS.filter((kind) => workers[kind] > 0 && (draining || ready(kind) === 0));
  let lastSent = "";
  function sendAbsent(): void {
    const kinds = absent();
    if (kinds.join() === lastSent) return;
    lastSent = kinds.join();
    for (const worker of living) worker.sendAbsent(kinds);
  }

  /** False when a worker couldn't be replaced; those before it were. */
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
      sendAbsent();
      const deadline = performance.now() + graceMs;
      for (const kind of WORKER_KINDS) {
        log.info({ worker: kind }, "draining workers");
        const left = Math.max(0, deadline - performance.now());
        await Promise.all(of(kind).map((slot) => slot.drain(left)));
      }
    },

    sendStores(state) {
      for (const worker of living) worker.sendStores(state);
    },

    sendEvening(state) {
      evening = state;
      for (const worker of living) worker.sendEvening(state);
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
