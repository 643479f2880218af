import { performance } from "node:perf_hooks";

/** What sends in intervals: a room's feed. */
export type Paced = {
  /** When a frame was last sent, ms. */
  lastSentAt: number;
  /** Sockets that get what it sends. */
  audience(): number;
  /** Sends all that it holds. */
  flush(): void;
};

/** Time and load as the pacer knows them; specs move both by hand. */
export type LoadProbe = {
  /** ms, never going back. */
  now(): number;
  /** How busy the event loop was since the last call, 0..1. */
  utilisation(): number;
  /** Both return how to call it off. */
  after(ms: number, run: () => void): () => void;
  every(ms: number, run: () => void): () => void;
};

const SAMPLE_MS = 500;
/**
 * Each step gathers for longer. It is taken above `from`, and left only below `until`: gathering longer is what brought
 * the load down, so the load alone would have the interval swing.
 */
const STEPS = [
  { intervalMs: 10, from: 0, until: 0 },
  { intervalMs: 25, from: 0.5, until: 0.35 },
  { intervalMs: 50, from: 0.75, until: 0.55 },
] as const;

/** Deliveries a second from which on a room is sent to more rarely under load: what smaller ones would save isn't worth their delay. */
const HEAVY = 20_000;

/**
 * Leading edge first: a room not sent to for an interval gets its events at once; what follows within it is
 * gathered and goes out as few frames. A send costs the same for one event or fifty, so this is most of what a
 * hot room saves; when the event loop is busy, the interval of those that sending costs much grows.
 */
export function createPacer<Room extends Paced>(probe: LoadProbe = realProbe()) {
  const touched = new Set<Room>();
  const cooling = new Set<Room>();
  /** Events of each room since the last look at the load, and those for which that was much. */
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
      // A millisecond early saves a timer of its own.
      if (now - room.lastSentAt >= intervalOf(room) - 1) send(room, now);
    }
    arm();
  }

  return {
    /** It holds one more event to send. */
    touch(room: Room): void {
      touched.add(room);
      events.set(room, (events.get(room) ?? 0) + 1);
    },
    /** After everything that one read brought was accepted. */
    settle(): void {
      const now = probe.now();
      for (const room of touched) {
        if (now - room.lastSentAt >= intervalOf(room)) send(room, now);
        else cooling.add(room);
      }
      touched.clear();
      arm();
    },
    /** Sends what a room holds now, so that a socket can join behind it. */
    flush: (room: Room) => send(room, probe.now()),
    forget,
    /** For which heavy rooms are gathered now. */
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
