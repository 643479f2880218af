import { performance } from "node:perf_hooks";

/** A paced sender: a room's feed. */
export type Paced = {
  /** When a frame was last sent, ms. */
  lastSentAt: number;
  /** Number of sockets that it sends to. */
  audience(): number;
  /** Sends everything that is buffered. */
  flush(): void;
};

/** The pacer's sources of time and load; specs control both. */
export type LoadProbe = {
  /** Monotonic, ms. */
  now(): number;
  /** Utilisation of the event loop since the last call, 0..1. */
  utilisation(): number;
  /** Both return a function that cancels the timer. */
  after(ms: number, run: () => void): () => void;
  every(ms: number, run: () => void): () => void;
};

const SAMPLE_MS = 500;
/**
 * Each step batches for longer. A step is entered at `from` and left only below `until` (hysteresis): batching longer is
 * what brought the load down, so with a single threshold the interval would oscillate.
 */
const STEPS = [
  { intervalMs: 10, from: 0, until: 0 },
  { intervalMs: 25, from: 0.5, until: 0.35 },
  { intervalMs: 50, from: 0.75, until: 0.55 },
] as const;

/**
 * Deliveries per second from which a room is batched for longer under load; for smaller rooms the saving isn't worth the
 * delay.
 */
const HEAVY = 20_000;

/**
 * Throttles with a leading edge: a room that hasn't been sent to for an interval gets its events at once; those that follow
 * within the interval are batched into few frames. A send costs the same for one event or fifty, so this is most of what a
 * hot room saves. When the event loop is busy, the interval grows for the rooms that are expensive to send to.
 */
export function createPacer<Room extends Paced>(probe: LoadProbe = realProbe()) {
  const touched = new Set<Room>();
  const cooling = new Set<Room>();
  /** Events of each room since the last load sample, and the rooms above HEAVY in that sample. */
  let events = new Map<Room, number>();
  let heavy: ReadonlySet<Room> = new Set();
  let step = 0;
  let isStopped = false;
  let cancel: (() => void) | null = null;
  const stopSampling = probe.every(SAMPLE_MS, () => {
    step = nextStep(step, probe.utilisation());
    const most = (HEAVY * SAMPLE_MS) / 1_000;
    heavy = new Set([...events].flatMap(([room, count]) => (count * room.audience() >= most ? [room] : [])));
    events = new Map();
  });
  const intervalMs = () => STEPS[step]?.intervalMs ?? STEPS[0].intervalMs;
  const intervalOf = (room: Room) => (heavy.has(room) ? intervalMs() : STEPS[0].intervalMs);

  function send(room: Room, now: number): void {
    forget(room);
    room.lastSentAt = now;
    room.flush();
  }

  function forget(room: Room): void {
    touched.delete(room);
    cooling.delete(room);
  }

  function arm(): void {
    if (cancel || isStopped || cooling.size === 0) return;
    let due = Number.POSITIVE_INFINITY;
    for (const room of cooling) due = Math.min(due, room.lastSentAt + intervalOf(room));
    cancel = probe.after(Math.max(1, due - probe.now()), sendDue);
  }

  function sendDue(): void {
    cancel = null;
    const now = probe.now();
    for (const room of [...cooling]) {
      // Up to a millisecond early, which saves another timer.
      if (now - room.lastSentAt >= intervalOf(room) - 1) send(room, now);
    }
    arm();
  }

  return {
    /** The room has one more event to send. */
    touch(room: Room): void {
      touched.add(room);
      events.set(room, (events.get(room) ?? 0) + 1);
    },
    /** Call it after all events of one read were accepted. */
    settle(): void {
      const now = probe.now();
      for (const room of touched) {
        if (now - room.lastSentAt >= intervalOf(room)) send(room, now);
        else cooling.add(room);
      }
      touched.clear();
      arm();
    },
    /** Sends what a room has buffered, so that a socket can join after it. */
    flush: (room: Room) => send(room, probe.now()),
    forget,
    /** The current batching interval of heavy rooms. */
    intervalMs,
    stop(): void {
      isStopped = true;
      stopSampling();
      cancel?.();
      cancel = null;
    },
  };
}

/** Up as far as the load demands, down one step at a time. */
function nextStep(step: number, utilisation: number): number {
  const wanted = STEPS.findLastIndex(({ from }) => utilisation >= from);
  if (wanted >= step) return wanted;
  return utilisation < (STEPS[step]?.until ?? 0) ? step - 1 : step;
}

function realProbe(): LoadProbe {
  let before = performance.eventLoopUtilization();
  return {
    now: () => performance.now(),
    utilisation() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    every(ms, run) {
      const timer = setInterval(run, ms).unref();
      return () => clearInterval(timer);
    },
  };
}
