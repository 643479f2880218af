import type { Log } from "../../../base/log.ts";
import type { WorkerKind } from "../config/worker-kinds.ts";
import type { WorkerProcess } from "./worker-process.ts";

/**
 * After this many deaths in a row, each before or soon after the worker was ready, the slot gives up, unless another worker of its
 * kind serves: then it goes on trying, so that one worker on a busy machine doesn't end the service.
 */
const MAX_EARLY_DEATHS = 5;
const EARLY_MS = 5_000;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 30_000;
/**
 * Delay before a restart, during which other workers take over the dead one's sockets: starting a worker keeps a core busy for
 * about as long.
 */
const OTHERS_FIRST_MS = 1_000;

/** Keeps one worker running: restarts it with back-off when it dies. */
export type Slot = {
  kind: WorkerKind;
  start(): void;
  /** Resolves when a worker of this slot has been ready for the first time, or keeps dying while others of its kind serve. */
  firstReady: Promise<void>;
  current(): WorkerProcess | null;
  /**
   * Starts a successor beside the current worker, which serves on until `retire`, or at once in place of one that is about to be
   * started anew. False: the successor was never ready and is gone.
   */
  succeed(graceMs: number): Promise<boolean>;
  /** Drains the predecessor; resolves when it has ended. */
  retire(graceMs: number): Promise<void>;
  drain(graceMs: number): Promise<void>;
  restarts(): number;
};

export function createSlot(options: {
  kind: WorkerKind;
  fork: () => WorkerProcess;
  /** Whether another worker of this kind is ready. */
  othersServe: () => boolean;
  /** Whether those can take over the dead one's clients. */
  hasClients: boolean;
  log: Log;
  /** Called once, when this slot's workers keep dying. */
  giveUp: (reason: string) => void;
  /** Called whenever a process was forked, became ready or ended. */
  changed: () => void;
}): Slot {
  const { kind, fork, othersServe, hasClients, giveUp, changed } = options;
  const log = options.log.child({ worker: kind });
  let worker: WorkerProcess | null = null;
  let successor: WorkerProcess | null = null;
  let predecessor: WorkerProcess | null = null;
  let pause: NodeJS.Timeout | null = null;
  let stopped = false;
  let earlyDeaths = 0;
  let restarts = 0;
  let settleFirst: () => void = () => undefined;
  const firstReady = new Promise<void>((resolve) => {
    settleFirst = resolve;
  });

  function install(next: WorkerProcess): void {
    worker = next;
    let readyAt: number | null = null;
    void next.ready.then((isReady) => {
      if (!isReady) return;
      readyAt = performance.now();
      settleFirst();
      changed();
    });
    void next.ended.then((reason) => {
      changed();
      if (worker !== next) return;
      worker = null;
      if (!stopped) onDeath(next, reason, readyAt);
    });
  }

  function onDeath(dead: WorkerProcess, reason: string, readyAt: number | null): void {
    const early = readyAt === null || performance.now() - readyAt < EARLY_MS;
    earlyDeaths = early ? earlyDeaths + 1 : 0;
    const keepsDying = earlyDeaths >= MAX_EARLY_DEATHS;
    if (keepsDying && !othersServe()) {
      stopped = true;
      giveUp(`The ${kind} worker died ${earlyDeaths} times in a row. The last time: ${reason}.`);
      return;
    }
    const calmMs = hasClients && othersServe() ? OTHERS_FIRST_MS : 0;
    const pauseMs = early ? Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (earlyDeaths - 1)) : calmMs;
    if (keepsDying) {
      log.error({ reason, earlyDeaths, pauseMs }, "a worker keeps dying; others of its kind serve");
      settleFirst();
    } else log.warn({ workerPid: dead.pid, reason, pauseMs }, "a worker died and is started anew");
    restarts += 1;
    pause = setTimeout(begin, pauseMs);
  }

  function begin(): void {
    pause = null;
    install(fork());
    changed();
  }

  return {
    kind,
    start: begin,
    firstReady,
    current: () => worker,
    restarts: () => restarts,

    async succeed(graceMs) {
      if (stopped) return false;
      if (pause) clearTimeout(pause);
      pause = null;
      const next = fork();
      successor = next;
      changed();
      const isReady = await next.ready;
      successor = null;
      if (!isReady || stopped) {
        if (isReady) await next.drain(graceMs);
        log.error({ reason: isReady ? "the service stops" : await next.ended }, "a worker wasn't replaced");
        if (!stopped && worker === null && pause === null) begin();
        return false;
      }
      // The old worker may have died meanwhile, with a restart pending or done: the newest worker stays.
      if (pause) clearTimeout(pause);
      pause = null;
      predecessor = worker;
      install(next);
      earlyDeaths = 0;
      return true;
    },

    async retire(graceMs) {
      await predecessor?.drain(graceMs);
      predecessor = null;
      changed();
    },

    async drain(graceMs) {
      stopped = true;
      if (pause) clearTimeout(pause);
      const all = [worker, successor, predecessor];
      await Promise.all(all.map((one) => one?.drain(graceMs)));
    },
  };
}
