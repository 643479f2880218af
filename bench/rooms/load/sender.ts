import { DIALECTS, type Dialect } from "../dialects.ts";
import type { LoadSetting, SendFigures, Sending } from "./calls.ts";
import { tally } from "./deliveries.ts";
import type { RawSocket } from "./raw-socket.ts";
import { MAX_MESSAGES, type RoomCheck } from "./room-check.ts";
import { Samples } from "./samples.ts";
import { usageSince } from "./usage.ts";

const COMPLETE_WITHIN_MS = 2_000;
const UNKNOWN = '"unavailable"';

export type Talk = {
  setting: LoadSetting;
  rooms: RoomCheck[];
  senders: { socket: RawSocket; room: number }[];
};

/** When each message was due, ms; by its number, which goes on over all runs of this process. */
const dueAt = new Float64Array(MAX_MESSAGES);
let next = 0;
/** The first message of the sending under way: a replay brings older ones, which are not late. */
let firstNow = 0;

let latencies = new Samples(1);
let refused = 0;
let onComplete: () => void = () => undefined;

export const counted = {
  delivery(n: number): void {
    if (n >= firstNow && latencies.isDue()) latencies.add(performance.now() - (dueAt[n] ?? 0));
  },
  complete: () => onComplete(),
  refused(room: RoomCheck, why: string): void {
    if (refused++ === 0) console.error(`  the first refusal: ${why}`);
    // Nobody will see it, save when nobody knows: the answer that something is unavailable doesn't say what became of it.
    if (why.includes(UNKNOWN)) room.unknown++;
    else room.sent--;
    onComplete();
  },
};

/** Sends at its pace until the time is up, and says what that took from the end of the warm-up on. */
export async function send(talk: Talk, sending: Sending): Promise<Omit<SendFigures, "closed">> {
  const { rooms, setting } = talk;
  const { pace, warmUpMs, ms, sampleEvery } = sending;
  latencies = new Samples(sampleEvery);
  firstNow = next;
  const lateness = new Samples(1);
  const refusedBefore = refused;
  const disorderBefore = disorderIn(rooms);
  const dialect = DIALECTS[setting.dialect];
  let turn = 0;
  const say = (dueMs: number) => {
    const sender = talk.senders[turn++ % talk.senders.length];
    if (!sender) throw new Error("nobody is there to talk");
    sayAs(sender, dueMs, { rooms, setting, dialect });
    lateness.add(performance.now() - dueMs);
  };

  const stop = "inFlight" in pace ? keepUnderWay(pace.inFlight, say) : byTheClock(pace.perSecond, say);
  await pause(warmUpMs);
  latencies.clear();
  lateness.clear();
  const [messages, deliveries, reads] = [next, tally.deliveries, tally.reads];
  const used = usageSince(setting);
  await pause(ms);
  const { atMs, cpuMs, load } = used();
  const figures = {
    messages: next - messages,
    deliveries: tally.deliveries - deliveries,
    reads: tally.reads - reads,
    ms: atMs,
    cpuMs,
    load,
    latencyMs: latencies.quantiles(),
    lateMs: lateness.quantiles(),
  };
  stop();
  await untilComplete(rooms);
  return {
    ...figures,
    behind: missingIn(rooms),
    disorder: disorderIn(rooms) - disorderBefore,
    refused: refused - refusedBefore,
  };
}

function sayAs(
  { socket, room }: Talk["senders"][number],
  dueMs: number,
  { rooms, setting, dialect }: Pick<Talk, "rooms" | "setting"> & { dialect: Dialect },
): void {
  const n = next++;
  if (n >= MAX_MESSAGES) throw new Error(`the load generator says at most ${MAX_MESSAGES} messages`);
  dueAt[n] = dueMs;
  const check = rooms[room];
  if (check) check.sent++;
  socket.say(dialect.message(setting.rooms[room] ?? "", n));
}

/** An open loop: a message is late when the machine is, and its latency counts from when it was due. */
function byTheClock(perSecond: number, say: (dueMs: number) => void): () => void {
  const from = performance.now();
  let sent = 0;
  let isOver = false;
  const tick = () => {
    if (isOver) return;
    const now = performance.now();
    for (let due = from + (sent * 1_000) / perSecond; due <= now; due = from + (sent * 1_000) / perSecond) {
      sent++;
      say(due);
    }
    setTimeout(tick, Math.max(0, from + (sent * 1_000) / perSecond - now));
  };
  tick();
  return () => {
    isOver = true;
  };
}

/** A closed loop: the next message is sent when everybody has received one. */
function keepUnderWay(inFlight: number, say: (dueMs: number) => void): () => void {
  onComplete = () => say(performance.now());
  for (let i = 0; i < inFlight; i++) onComplete();
  return () => {
    onComplete = () => undefined;
  };
}

const missingIn = (rooms: RoomCheck[]): number => rooms.reduce((sum, room) => sum + room.missing, 0);
const disorderIn = (rooms: RoomCheck[]): number => rooms.reduce((sum, room) => sum + room.disorder, 0);

async function untilComplete(rooms: RoomCheck[]): Promise<void> {
  const deadline = performance.now() + COMPLETE_WITHIN_MS;
  while (missingIn(rooms) > 0 && performance.now() < deadline) await pause(20);
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
