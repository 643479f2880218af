import { runActsUnderKills } from "../realtime/acts/acts-under-kills.ts";
import { runArchiveFaults } from "../realtime/archive/archive-faults.ts";
import { runAuthority } from "../realtime/authority/authority.ts";
import { runTickets } from "../realtime/authority/tickets.ts";
import { runManyKills } from "../realtime/failures/many-kills.ts";
import { runMongoHanging } from "../realtime/failures/mongo-hanging.ts";
import { runRedisFailover } from "../realtime/failures/redis-failover.ts";
import { runRedisFlushed } from "../realtime/failures/redis-flushed.ts";
import { runRedisRestarted } from "../realtime/failures/redis-restarted.ts";
import { runRollingRestart } from "../realtime/failures/rolling-restart.ts";
import { runWorkerKilled } from "../realtime/failures/worker-killed.ts";
import { runLoadWithTerms } from "../realtime/hot-room/load-with-terms.ts";
import { runQuietRooms } from "../realtime/pacing/quiet-rooms.ts";
import { runRaidLands } from "../realtime/raids/raid-lands.ts";
import { runManyRooms } from "../realtime/scale/many-rooms.ts";
import { runWholeService } from "../realtime/scale/whole-service.ts";
import { runReplaysStopped } from "../realtime/slow-readers/replays-stopped.ts";
import { runSlowReaders } from "../realtime/slow-readers/slow-readers.ts";
import { runIdle } from "../realtime/thundering-herd/idle.ts";
import { runStorm } from "../realtime/thundering-herd/storm.ts";
import { runThunderingHerd } from "../realtime/thundering-herd/thundering-herd.ts";
import { type Scenario, scenario } from "../stress/scenario.ts";

/** Rooms in all shards. */
const EVENING = { rooms: 16, visits: 3, outageMs: 3_000, refusesWithinMs: 250 } as const;

const CROWD = { clients: 300, perSecond: 60, cuts: 400 };

const HERD = {
  signedInPercent: 20,
  behind: 200,
  others: 50,
  calmMs: 3_000,
  backWithinMs: 10_000,
  cpuMicros: 300,
  othersRatio: 2,
};

/** Full-size scenarios of rooms and gateway. */
export const ROOMS: Scenario[] = [
  scenario({
    name: "worker-killed",
    about: "a worker with half of the clients is killed; each is shown every message once, in order, in time",
    sizes: { clients: 2_000, rooms: 40, perSecond: 200 },
    fixed: { calmMs: 5_000, caughtUpWithinMs: 2_000 },
    run: runWorkerKilled,
  }),
  scenario({
    name: "many-kills",
    about:
      "workers are killed one after the other and clients lose their sockets; nobody misses or repeats anything",
    sizes: { clients: 600, rooms: 20, perSecond: 80, kills: 12, unlucky: 20 },
    fixed: {},
    run: runManyKills,
  }),
  scenario({
    name: "acts-under-kills",
    about:
      "workers are killed while messages are held and decided about, polls voted in, whispers sent, bots wait; each counts once",
    sizes: { rooms: 4, clients: 80, perSecond: 40, authors: 2, voters: 12, kills: 24 },
    fixed: { bots: 2 },
    run: runActsUnderKills,
  }),
  scenario({
    name: "redis-restarted",
    about:
      "Redis is killed and comes back with its data; nothing acknowledged is lost, chat accepts again soon",
    sizes: { clients: 600, rooms: 40, perSecond: 100, restarts: 4 },
    fixed: { outageMs: 3_000, calmMs: 3_000, acceptsWithinMs: 3_000 },
    run: runRedisRestarted,
  }),
  scenario({
    name: "redis-flushed",
    about:
      "Redis forgets everything; every client is notified, and bans and modes hold for the first message after it",
    sizes: { clients: 1_000, rooms: 100, perSecond: 200, flushes: 5 },
    fixed: { calmMs: 3_000 },
    run: runRedisFlushed,
  }),
  scenario({
    name: "redis-failover",
    about: "the master dies and a replica that is behind takes over; no number stands for two events",
    sizes: { clients: 600, rooms: 40, perSecond: 150 },
    fixed: { calmMs: 3_000, behindMs: 2_000, acceptsWithinMs: 3_000, newEpochsWithinMs: 10_000 },
    run: runRedisFailover,
  }),
  scenario({
    name: "mongo-hanging",
    about:
      "MongoDB answers nothing for a while; everybody goes on talking, what needs it is refused, all comes back",
    sizes: { talkers: 60 },
    fixed: { calmMs: 10_000, frozenMs: 30_000, ackMostMs: 1_000, refusedWithinMs: 10_000 },
    run: runMongoHanging,
  }),
  scenario({
    name: "rolling-restart",
    about:
      "all workers are replaced under load; nothing is lost, no request fails, clients come back twice at most",
    sizes: { clients: 1_000, rooms: 20, perSecond: 100, requestsPerSecond: 50 },
    fixed: { calmMs: 5_000, returnsAtMost: 2, spreadLeastMs: 5_000, repeatedShareAtMost: 0.001 },
    run: runRollingRestart,
  }),
  scenario({
    name: "quiet-rooms",
    about: "a thousand messages a second into one room; quiet rooms of the same worker wait for nothing",
    sizes: { hotSockets: 300, quietRooms: 50 },
    fixed: { hotPerSecond: 1_000, talkMs: 20_000, quietP50Ms: 1, hotP99Ms: 50 },
    run: runQuietRooms,
  }),
  scenario({
    name: "load-with-terms",
    about:
      "500 messages a second into one room with 300 terms, on two workers; none is lost, all are in order",
    sizes: { loadMs: 60_000, clients: 20 },
    fixed: {
      perSecond: 500,
      speakers: 201,
      terms: 300,
      changeEveryMs: 5_000,
      leastPerSecond: 480,
      ackP99Ms: 1_000,
    },
    run: runLoadWithTerms,
  }),
  scenario({
    name: "slow-readers",
    about: "some of a room's readers stop; they are ended with 4008 and resume, and nobody else notices",
    sizes: { readers: 1_000, slow: 50 },
    // So few that the worker's pace doesn't change: otherwise the load would decide, and not the slow readers.
    fixed: {
      perSecond: 15,
      calmMs: 20_000,
      endedWithinMs: 30_000,
      memoryMiB: 64,
      healthyP99Ms: 250,
      healthyRatio: 1.2,
    },
    run: runSlowReaders,
  }),
  scenario({
    name: "replays-stopped",
    about: "readers stop in the middle of a replay; they go on where they were, or are ended with 4008",
    sizes: { resuming: 50, stopping: 50 },
    fixed: { events: 10_000, pauseMs: 5_000, stalledMs: 15_000, memoryMiB: 128 },
    run: runReplaysStopped,
  }),
  scenario({
    name: "herd",
    about:
      "a room's clients come back within the window announced to them; the worker has it all in its ring",
    sizes: { clients: 5_000 },
    fixed: { ...HERD, isColdWorker: false, isSpread: true },
    run: runThunderingHerd,
  }),
  scenario({
    name: "herd-elsewhere",
    about: "and so they do at a worker that has never seen their room: one read of its log serves them all",
    sizes: { clients: 5_000 },
    fixed: { ...HERD, isColdWorker: true, isSpread: true },
    run: runThunderingHerd,
  }),
  scenario({
    name: "herd-at-once",
    about:
      "and all in the same moment, whatever was announced to them; others wait longer then, and nobody fails",
    sizes: { clients: 5_000 },
    fixed: { ...HERD, isColdWorker: false, isSpread: false, othersRatio: 20 },
    run: runThunderingHerd,
  }),
  scenario({
    name: "raid",
    about:
      "a raid moves a room's sockets into another one; all that stayed are there in time, a third room goes on",
    sizes: { sockets: 5_000 },
    fixed: {
      leavePercent: 5,
      outPercent: 2,
      others: 50,
      calmMs: 3_000,
      landedWithinMs: 3_000,
      othersRatio: 4,
    },
    run: runRaidLands,
  }),
  scenario({
    name: "idle",
    about: "signed-in sockets that receive nothing cost their worker little memory",
    sizes: { sockets: 10_000 },
    fixed: { kibEach: 6 },
    run: runIdle,
  }),
  scenario({
    name: "storm",
    about: "all clients of a service are cut and come back; REST answers, and the archive isn't queried",
    sizes: { clients: 5_000, rooms: 40 },
    fixed: { perSecond: 100, awayMs: 3_000, backWithinMs: 10_000, restP99Ms: 1_000 },
    run: runStorm,
  }),
  scenario({
    name: "authority",
    about:
      "bans, timeouts, modes, log-outs and demotions under talk by all ways are in force with their answer",
    sizes: { sockets: 2_000, rounds: 10 },
    fixed: { rooms: 4, reachP99Ms: 1_000 },
    run: runAuthority,
  }),
  scenario({
    name: "tickets",
    about:
      "five connections race for each ticket at two workers; each opens one socket, no old or foreign one any",
    sizes: { tickets: 1_000, others: 100 },
    fixed: { racers: 5 },
    run: runTickets,
  }),
  scenario({
    name: "archive-faults",
    about: "what archives chat dies, sleeps, is doubled and loses either store; each message is there once",
    sizes: {
      happenings: 40_000,
      kills: 30,
      pauses: 4,
      thefts: 20,
      repeats: 10,
      outages: 3,
      redisKills: 8,
    },
    fixed: { rooms: 16, pausedMs: 12_000, awayMs: 60_000 },
    run: runArchiveFaults,
  }),
  scenario({
    name: "whole-service",
    about: "everything works with one realtime worker on one server of Redis, which dies and comes back",
    sizes: { ...CROWD, losses: 3 },
    fixed: { workers: 1, redis: "single" as const, ...EVENING },
    run: runWholeService,
  }),
  scenario({
    name: "whole-service-four",
    about: "and so it does with four workers",
    sizes: { ...CROWD, losses: 3 },
    fixed: { workers: 4, redis: "single" as const, ...EVENING },
    run: runWholeService,
  }),
  scenario({
    name: "whole-service-cluster",
    about: "and on a Valkey Cluster, where a master that dies takes its own rooms alone",
    sizes: { ...CROWD, losses: 3 },
    fixed: { workers: 2, redis: "cluster" as const, ...EVENING },
    run: runWholeService,
  }),
  scenario({
    name: "whole-service-failover",
    about: "and where a replica takes over from each master that dies",
    sizes: { ...CROWD, losses: 2 },
    fixed: { workers: 2, redis: "cluster with replicas" as const, ...EVENING, outageMs: 1 },
    run: runWholeService,
  }),
  // Last, since nobody archives what it leaves in the live streams.
  scenario({
    name: "many-rooms",
    about:
      "a worker with ten thousand rooms isn't held up by their number, and keeps little beside their texts",
    sizes: { rooms: 10_000 },
    fixed: { messages: 2, quietMs: 20_000, loopMostMs: 60, memoryRatio: 3 },
    run: runManyRooms,
  }),
];
