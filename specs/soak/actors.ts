import { runCrowdVotes } from "../actors/chat/poll/crowd-votes.ts";
import { runContention } from "../actors/host/contention/contention.ts";
import { runFairness } from "../actors/host/contention/fairness.ts";
import { runCrashPoints } from "../actors/host/crash/crash-points.ts";
import { runRandomKills } from "../actors/host/crash/random-kills.ts";
import { runLockedActors } from "../actors/host/locked-actors/locked-actors.ts";
import { runPureModel } from "../actors/host/model/pure-model.ts";
import { runPrograms } from "../actors/host/model/random-programs.ts";
import { runStoredModel } from "../actors/host/model/stored-model.ts";
import { runOutboxRaces } from "../actors/host/outbox-races/outbox-races.ts";
import { runPrimaryCutOff, runPrimaryKilled, runStepDowns } from "../actors/host/replica-set/faults.ts";
import { runTimersAfterDowntime } from "../actors/host/timers-after-downtime/timers-after-downtime.ts";
import { runFanOut } from "../actors/notifications/fan-out.ts";
import { runNotificationKills } from "../actors/notifications/kills.ts";
import { type Scenario, scenario } from "../stress/scenario.ts";
import { runRepeats } from "./repeats/repeats.ts";

/** Full-size scenarios of the actor host and the ledger. */
export const ACTORS: Scenario[] = [
  scenario({
    name: "crash-points",
    about: "a process dies at every point of every operation; afterwards all of it happened, or nothing",
    sizes: { pointsPercent: 100 },
    fixed: { long: true, scenarios: 1 },
    run: ({ pointsPercent, ...options }, print) =>
      runCrashPoints({ ...options, points: Math.max(1, Math.round(100 / pointsPercent)) }, print),
  }),
  scenario({
    name: "random-kills",
    about: "workers are killed at any moment under writers; no answered order is lost or there twice",
    sizes: { operations: 50_000, kills: 20 },
    fixed: { writers: 32 },
    run: runRandomKills,
  }),
  scenario({
    name: "pure-model",
    about: "predictions and points decide as a plain model beside them does",
    sizes: { operations: 1_000_000 },
    fixed: {},
    run: runPureModel,
  }),
  scenario({
    name: "stored-model",
    about: "and so does what the stores hold",
    sizes: { operations: 50_000 },
    fixed: {},
    run: runStoredModel,
  }),
  scenario({
    name: "random-programs",
    about:
      "points, rewards, predictions and tips by processes that die anywhere; nothing is lost, made or done twice",
    sizes: { operations: 50_000 },
    fixed: {},
    run: runPrograms,
  }),
  scenario({
    name: "contention",
    about:
      "eight processes send commands to the same actors and some are killed; an actor is what its log says",
    sizes: { actors: 200, events: 20_000, kills: 10 },
    fixed: { processes: 8, deadlineMs: 900_000 },
    run: runContention,
  }),
  scenario({
    name: "poll-votes",
    about: "a crowd votes by two processes; each vote counts once, and the end is exact",
    sizes: { votes: 100_000 },
    fixed: { width: 1_000 },
    run: runCrowdVotes,
  }),
  scenario({
    name: "fairness",
    about: "four processes on one hot prediction get about the same of it",
    sizes: {},
    fixed: { processes: 4, roundMs: 10_000, window: 64 },
    run: runFairness,
  }),
  scenario({
    name: "locked-actors",
    about:
      "three of a thousand actors are locked for long; the others feel nothing of it, these are answered",
    sizes: { rounds: 5 },
    fixed: {
      actors: 1_000,
      locked: 3,
      clients: 32,
      asks: 200,
      // A lock lasts for 10 s, a request to a locked actor for 8.
      roundMs: 9_000,
      deadlineMs: 9_500,
      ratio: 2,
    },
    run: runLockedActors,
  }),
  scenario({
    name: "timers-after-downtime",
    about:
      "thousands wait, everything is killed, stays away and is started; each timer fires once, none early",
    sizes: { machines: 6_000 },
    fixed: {
      processes: 2,
      aliveMs: 5_000,
      downMs: 10_000,
      afterMs: 15_000,
      overdueWithinMs: 2_000,
      onTimeWithinMs: 1_000,
    },
    run: runTimersAfterDowntime,
  }),
  scenario({
    name: "step-downs",
    about:
      "the primary of three members steps down under bets; each bet counts once, those that waited a second are refused",
    sizes: { faults: 10 },
    fixed: { writers: 16, calmMs: 1_500, gapWithinMs: 3_500, refusals: 3_000 },
    run: runStepDowns,
  }),
  scenario({
    name: "primary-killed",
    about: "and when it is killed; what fails and is repeated with its key counts once",
    sizes: { faults: 10 },
    fixed: { writers: 16, calmMs: 1_500, gapWithinMs: 5_000, refusals: 5_000 },
    run: runPrimaryKilled,
  }),
  scenario({
    name: "primary-cut-off",
    about: "and when it is cut off with its sockets open; bets wait hardly longer than MongoDB itself needs",
    sizes: { faults: 5 },
    fixed: { writers: 16, calmMs: 1_500, gapWithinMs: 1_500, refusals: 5_000 },
    run: runPrimaryCutOff,
  }),
  scenario({
    name: "outbox-races",
    about: "publishers race, die and lose Redis; rooms have each event once and in order",
    sizes: { commits: 6_000, deaths: 40, outages: 6 },
    fixed: { sources: 60, rooms: 4, flushes: 0 },
    run: runOutboxRaces,
  }),
  scenario({
    name: "outbox-flushed",
    about: "Redis loses everything again and again; no unpublished event is lost",
    sizes: { commits: 3_000, deaths: 12, flushes: 8 },
    fixed: { sources: 60, rooms: 4, outages: 0 },
    run: runOutboxRaces,
  }),
  scenario({
    name: "repeats",
    about: "answers are lost and bets repeated with their keys; each is taken once and answered alike",
    sizes: { bets: 3_000 },
    fixed: { bettors: 30, cutPercent: 30 },
    run: runRepeats,
  }),
  scenario({
    name: "notification-kills",
    about: "a process dies at every point of making lists of notifications and pushes; each is notified once",
    sizes: { pointsPercent: 100 },
    fixed: { followers: 501 },
    run: ({ pointsPercent, ...options }, print) =>
      runNotificationKills({ ...options, share: Math.max(1, Math.round(100 / pointsPercent)) }, print),
  }),
  scenario({
    name: "fan-out",
    about:
      "a channel with 100,000 followers goes live; each is notified once and in time, and others go on as before",
    sizes: { followers: 100_000 },
    fixed: {
      perSecond: 30,
      fans: 150,
      calmMs: 20_000,
      notifiedWithinMs: 60_000,
      othersRatio: 2,
      singlesWithinMs: 5_000,
    },
    run: runFanOut,
  }),
];
