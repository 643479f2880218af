import type { ContenderName } from "../contenders.ts";
import { deliveredPerSecond, isExact, middle, middleRatio, perMessageUs, perMillion } from "../figures.ts";
import { atLeast, atMost, type Goal, noneOf } from "../goals.ts";
import type { SendFigures, Sending } from "../load/calls.ts";
import type { Scene } from "../scene.ts";

export type FanOutPart = {
  title: string;
  contenders: readonly ContenderName[];
  scene: Scene;
  pace: Sending["pace"];
  /** Where it takes longer than elsewhere. */
  warmUpMs?: number;
  sampleEvery: number;
  unit: "delivery" | "message";
  /** What the ratios are to. */
  baseline: ContenderName;
  goals(runs: (name: ContenderName) => SendFigures[]): Goal[];
};

const p99 = (run: SendFigures) => run.latencyMs.p99;
const exact = (runs: SendFigures[]): Goal =>
  noneOf("each message once and in order", runs.filter((run) => !isExact(run)).length);

/** `how` distinguishes bare uWebSockets.js from itself. */
const cpuAgainst = (how: string, ours: SendFigures[], bare: SendFigures[], most: number): Goal =>
  atMost(`CPU against bare uWebSockets.js${how}`, middleRatio(ours, bare, perMillion), most, "×");

const hot = (inFlight: number): FanOutPart => ({
  title: `hot room, saturated: 1 × 1,000 sockets, ${inFlight} messages under way`,
  contenders: ["raw", "paced", "ours", "socketIo", "ws"],
  scene: { rooms: 1, viewersEach: 1_000, senders: 1_000, rules: "vips" },
  pace: { inFlight },
  sampleEvery: 61,
  unit: "delivery",
  baseline: "raw",
  goals: (runs) => [
    atLeast(
      "deliveries a second against socket.io",
      middleRatio(runs("ours"), runs("socketIo"), deliveredPerSecond),
      1.5,
      "×",
    ),
    atLeast(
      "deliveries a second against bare uWebSockets.js",
      middleRatio(runs("ours"), runs("raw"), deliveredPerSecond),
      0.9,
      "×",
    ),
    exact(runs("ours")),
  ],
});

/** People who talk are twice as many as need be, each may say one message a second: so none does when a few are late. */
export const FAN_OUTS: Record<string, readonly FanOutPart[]> = {
  raid: [
    {
      title: "a raid lands: 1 × 300 sockets, 1,000 messages/s",
      contenders: ["raw", "paced", "ours", "socketIo", "ws"],
      scene: { rooms: 1, viewersEach: 300, senders: 2_000 },
      pace: { perSecond: 1_000 },
      sampleEvery: 31,
      unit: "delivery",
      baseline: "raw",
      goals: (runs) => [
        cpuAgainst(", unpaced", runs("ours"), runs("raw"), 0.3),
        cpuAgainst(", paced alike", runs("ours"), runs("paced"), 2),
        atMost("p99", middle(runs("ours"), p99), 20, "ms"),
        exact(runs("ours")),
      ],
    },
  ],
  hot: [hot(32), hot(128)],
  thousand: [
    {
      title: "1 × 1,000 sockets, 30 messages/s",
      contenders: ["raw", "ours", "socketIo", "ws"],
      scene: { rooms: 1, viewersEach: 1_000, senders: 60 },
      pace: { perSecond: 30 },
      sampleEvery: 7,
      unit: "delivery",
      baseline: "raw",
      goals: (runs) => [
        cpuAgainst("", runs("ours"), runs("raw"), 1.25),
        atMost("p99 against bare uWebSockets.js", middleRatio(runs("ours"), runs("raw"), p99), 1.5, "×"),
        atMost("p99", middle(runs("ours"), p99), 50, "ms"),
        exact(runs("ours")),
      ],
    },
  ],
  busy: [
    {
      title: "busy room: 1 × 200 sockets, 200 messages/s",
      contenders: ["raw", "paced", "ours", "socketIo", "ws"],
      scene: { rooms: 1, viewersEach: 200, senders: 400 },
      pace: { perSecond: 200 },
      sampleEvery: 7,
      unit: "delivery",
      baseline: "raw",
      goals: (runs) => [
        cpuAgainst("", runs("ours"), runs("raw"), 1.1),
        atMost("p99", middle(runs("ours"), p99), 20, "ms"),
        exact(runs("ours")),
      ],
    },
  ],
  small: [
    {
      title: "500 rooms × 2 sockets, 1,000 messages/s in all, every mode on (ours)",
      contenders: ["raw", "ours", "socketIo", "ws"],
      scene: { rooms: 500, viewersEach: 2, senders: 2_000, rules: "every" },
      // Everybody has spoken by then, so that what is remembered of people is.
      warmUpMs: 5_000,
      pace: { perSecond: 1_000 },
      sampleEvery: 1,
      unit: "message",
      baseline: "ws",
      goals: (runs) => [
        atMost(
          "CPU a message against ws with Redis pub/sub, every mode on",
          middleRatio(runs("ours"), runs("ws"), perMessageUs),
          1.6,
          "×",
        ),
        atMost(
          "p50 of these quiet rooms, from when a message left",
          // A timer's millisecond is as long as what is measured here; at the middle the two can be distinguished.
          middle(runs("ours"), (run) => run.latencyMs.p50 - run.lateMs.p50),
          1,
          "ms",
        ),
        exact(runs("ours")),
      ],
    },
  ],
  workers: [
    {
      title: "two workers, one hot room: 1 × 1,000 sockets, 200 messages/s",
      contenders: ["ours", "twice"],
      scene: { rooms: 1, viewersEach: 1_000, senders: 400 },
      pace: { perSecond: 200 },
      sampleEvery: 31,
      unit: "delivery",
      baseline: "ours",
      goals: (runs) => [
        atMost(
          "CPU of two workers against one",
          middleRatio(runs("twice"), runs("ours"), perMillion),
          1.15,
          "×",
        ),
        exact(runs("twice")),
      ],
    },
  ],
};
