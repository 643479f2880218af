/** A paced sender: a room's feed. */
export type Paced = {
  /** When a frame was last sent, ms. */
  lastSentAt: number;
  /** Number of sockets that it sends to. */
  audience(): number;
  /** Sends everything that is buffered. */
  flush(): void;
};

/** The pacer's source of time; specs control it. */
export type PacerTimers = {
  /** Monotonic, ms. */
  now(): number;
  /** Both return a function that cancels the timer. */
  after(ms: number, run: () => void): () => void;
  every(ms: number, run: () => void): () => void;
};

const SAMPLE_MS = 500;
/** A quiet room, or one that costs little, is batched for this long. */
const LEAST_MS = 10;
const MOST_MS = 50;
/** CPU time of sending a frame to one socket, as measured. */
const SEND_MS = 0.005;
/** The share of a core that sending to rooms with long audiences may take. */
const SHARE = 1 / 4;

/** Deliveries per second from which a room is batched for longer; for smaller rooms the saving isn't worth the delay. */
const HEAVY = 20_000;

/**
 * Throttles with a leading edge: a room that hasn't been sent to for an interval gets its events at once; those that follow
 * within the interval are batched into few frames. A send costs the same for one event or fifty, so this is most of what a
 * hot room saves. The interval of rooms that are expensive to send to grows with what sending to all of them costs. It doesn't follow
 * how busy the event loop is: that also depends on who else uses the machine (docs/decisions/0115).
 */
export function createPacer<Room extends Paced>(timers: PacerTimers = realTimers()) {
  const touched = new Set<Room>();
  const cooling = new Set<Room>();
  /** Events of each room since the last load sample, and the rooms above HEAVY in that sample. */
  let events = new Map<Room, number>();
  let heavy: ReadonlySet<Room> = new Set();
  let heavyMs = LEAST_MS;
  let isStopped = false;
  let cancel: (() => void) | null = null;
  const stopSampling = timers.every(SAMPLE_MS, () => {
    const most = (HEAVY * SAMPLE_MS) / 1_000;
    heavy = new Set([...events].flatMap(([room, count]) => (count * room.audience() >= most ? [room] : [])));
    events = new Map();
    const sockets = [...heavy].reduce((sum, room) => sum + room.audience(), 0);
    heavyMs = Math.min(MOST_MS, Math.max(LEAST_MS, (sockets * SEND_MS) / SHARE));
  });
  const intervalOf = (room: Room) => (heavy.has(room) ? heavyMs : LEAST_MS);

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
    cancel = timers.after(Math.max(1, due - timers.now()), sendDue);
  }

  function sendDue(): void {
    cancel = null;
    const now = timers.now();
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
      const now = timers.now();
      for (const room of touched) {
        if (now - room.lastSentAt >= intervalOf(room)) send(room, now);
        else cooling.add(room);
      }
      touched.clear();
      arm();
    },
    /** Sends what a room has buffered, so that a socket can join after it. */
    flush: (room: Room) => send(room, timers.now()),
    forget,
    /** The current batching interval of heavy rooms. */
    intervalMs: () => heavyMs,
    stop(): void {
      isStopped = true;
      stopSampling();
      cancel?.();
      cancel = null;
    },
  };
}

function realTimers(): PacerTimers {
  return {
    now: () => performance.now(),
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
