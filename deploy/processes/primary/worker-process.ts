import cluster from "node:cluster";
import { setTimeout as delay } from "node:timers/promises";
import type { EveningState } from "../../../api/discovery/site/development.ts";
import { processEnvironment } from "../config/environment.ts";
import type { WorkerKind } from "../config/worker-kinds.ts";
import { type FromPrimary, fromWorker, type StoreState, WORKER_VARIABLE } from "../process/messages.ts";

/** One forked worker process. */
export type WorkerProcess = {
  pid: number;
  kind: WorkerKind;
  /** False before it is ready, once it drains, and while it has sent no heartbeat for 10 s. */
  isReady(): boolean;
  /** True once it is ready; false when it ended before, or wasn't ready within 60 s, not counting a wait for the schema. */
  ready: Promise<boolean>;
  /** Resolves with the reason in words when it has ended. */
  ended: Promise<string>;
  /** Asks it to drain; after `graceMs` it is killed. Resolves when it has ended. */
  drain(graceMs: number): Promise<void>;
  kill(): void;
  /** Sends the kinds without a ready worker. A worker that doesn't listen yet gets the latest list once it does. */
  sendAbsent(kinds: WorkerKind[]): void;
  /** Likewise, what stands of the stores. */
  sendStores(state: StoreState): void;
  /** Likewise, how the demo evening is. */
  sendEvening(state: EveningState): void;
  /** The metrics of its registry, or null when it doesn't answer within a second. */
  metrics(): Promise<object[] | null>;
};

export const READY_WITHIN_MS = 60_000;
const METRICS_WITHIN_MS = 1_000;
/** Seconds without a heartbeat after which a worker isn't ready, and after which it is killed. */
const UNREADY_AFTER_SECONDS = 10;
const KILLED_AFTER_SECONDS = 20;

// Workers accept from one shared handle themselves. With round-robin the primary hands connections over: one on its way to a
// worker
// that dies in that moment would be answered by nobody, and its client would wait for ever.
cluster.schedulingPolicy = cluster.SCHED_NONE;

export function forkWorker(options: {
  kind: WorkerKind;
  entry: string;
  execArgv: readonly string[];
  /** All that it gets. */
  env: Record<string, string>;
  readyWithinMs: number;
  /** Called every few seconds while it waits for the database's schema. */
  onWaiting: () => void;
  /** Called when it stops sending heartbeats, and when it sends them again. */
  onSilence: (isSilent: boolean) => void;
  /** Called when somebody asks for the demo evening. */
  onEvening: () => void;
}): WorkerProcess {
  const { readyWithinMs, onWaiting } = options;
  cluster.setupPrimary({ exec: options.entry, execArgv: [...options.execArgv], args: [options.kind] });
  // Node adds what it gets to the primary's own environment, but leaves out what is undefined.
  const own = Object.keys(processEnvironment()).map((name) => [name, undefined] as const);
  const worker = cluster.fork({
    ...Object.fromEntries(own),
    ...options.env,
    [WORKER_VARIABLE]: options.kind,
  });
  const { promise: ready, resolve: settleReady } = deferred<boolean>();
  const { promise: ended, resolve: settleEnded } = deferred<string>();
  const pending = new Map<number, (values: object[] | null) => void>();
  let isListening = false;
  /** The last message of each kind that a worker has to know from its start. */
  let absent: FromPrimary | null = null;
  let stores: FromPrimary | null = null;
  let evening: FromPrimary | null = null;
  let isReady = false;
  let hasEnded = false;
  let silentSeconds = 0;
  let heartbeatCheck: NodeJS.Timeout | null = null;
  let reason: string | null = null;
  let nextId = 1;

  const kill = () => void worker.process.kill("SIGKILL");
  const overdue = setTimeout(() => {
    reason ??= `it wasn't ready within ${readyWithinMs / 1_000} s`;
    kill();
  }, readyWithinMs);

  const isSilent = () => silentSeconds >= UNREADY_AFTER_SECONDS;
  // Counts its own turns, so that a primary that was suspended itself doesn't take its workers for silent.
  const checkHeartbeat = () => {
    silentSeconds += 1;
    if (silentSeconds === UNREADY_AFTER_SECONDS) options.onSilence(true);
    if (silentSeconds < KILLED_AFTER_SECONDS) return;
    reason ??= `it sent no heartbeat for ${KILLED_AFTER_SECONDS} s`;
    kill();
  };
  const receiveHeartbeat = () => {
    const wasSilent = isSilent();
    silentSeconds = 0;
    if (wasSilent) options.onSilence(false);
    // A worker under a debugger sends none, and isn't watched.
    heartbeatCheck ??= setInterval(checkHeartbeat, 1_000);
  };

  worker.on("message", (raw: unknown) => {
    const message = fromWorker(raw);
    if (message?.livecore === "hears") {
      isListening = true;
      for (const latest of [absent, stores, evening]) if (latest !== null) send(latest);
    } else if (message?.livecore === "waiting") {
      overdue.refresh();
      onWaiting();
    } else if (message?.livecore === "ready") {
      clearTimeout(overdue);
      isReady = true;
      settleReady(true);
    } else if (message?.livecore === "alive") {
      receiveHeartbeat();
    } else if (message?.livecore === "failed") {
      reason = message.reason;
    } else if (message?.livecore === "start-evening") {
      options.onEvening();
    } else if (message?.livecore === "metrics") {
      pending.get(message.id)?.(message.values);
    }
  });
  worker.on("error", (err: Error) => {
    reason ??= err.message;
  });
  worker.on("exit", (code: number, signal: string | null) => {
    clearTimeout(overdue);
    if (heartbeatCheck) clearInterval(heartbeatCheck);
    hasEnded = true;
    isReady = false;
    for (const answer of pending.values()) answer(null);
    settleReady(false);
    settleEnded(reason ?? (signal ? `ended by ${signal}` : `exit code ${code}`));
  });

  const send = (message: FromPrimary) => {
    // The callback swallows the error of a channel that has closed meanwhile; the "exit" event covers that case.
    if (worker.isConnected()) worker.process.send(message, undefined, undefined, () => undefined);
  };

  return {
    pid: worker.process.pid ?? 0,
    kind: options.kind,
    isReady: () => isReady && !isSilent(),
    ready,
    ended,
    kill,
    sendAbsent(kinds) {
      absent = { livecore: "absent", kinds };
      if (isListening) send(absent);
    },
    sendStores(state) {
      stores = { livecore: "stores", ...state };
      if (isListening) send(stores);
    },
    sendEvening(state) {
      evening = { livecore: "evening", state };
      if (isListening) send(evening);
    },
    async drain(graceMs) {
      isReady = false;
      // A worker that still loads its modules wouldn't receive the message, and has nothing to drain yet.
      if (isListening) send({ livecore: "drain" });
      else kill();
      if (!(await settlesWithin(ended, graceMs))) kill();
      await ended;
    },
    async metrics() {
      if (hasEnded) return null;
      const id = nextId++;
      const { promise, resolve } = deferred<object[] | null>();
      pending.set(id, resolve);
      const late = setTimeout(() => resolve(null), METRICS_WITHIN_MS);
      send({ livecore: "metrics", id });
      try {
        return await promise;
      } finally {
        clearTimeout(late);
        pending.delete(id);
      }
    },
  };
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const late = new AbortController();
  try {
    const outcome = await Promise.race([promise, delay(ms, late, { signal: late.signal })]);
    return outcome !== late;
  } finally {
    late.abort();
  }
}
