import { type Scenario, scenario } from "../stress/scenario.ts";
import { BALANCERS, install } from "./fleet/balancer-programs.ts";
import { runBalancer } from "./fleet/balancers.ts";
import { runClocks } from "./fleet/clocks.ts";
import { runHungJobs } from "./fleet/hung-jobs.ts";
import { runRestored } from "./fleet/restored.ts";
import { runSchemaStep } from "./fleet/schema-step.ts";
import { runSilentMongo } from "./fleet/silent-mongo.ts";
import { runSilentPeers } from "./fleet/silent-peers.ts";
import { runUnreadOutput } from "./fleet/unread-output.ts";
import { runWrongPrimary } from "./fleet/wrong-primary.ts";
import { runWrongRedis } from "./fleet/wrong-redis.ts";

/** Drills with several hosts, and stores that are lost or restored; some need root. */
export const FLEET: Scenario[] = [
  scenario({
    name: "clocks",
    about:
      "a host whose clock is off or jumps fires no timer early, and its tokens are accepted by the others",
    sizes: {},
    fixed: { offsSeconds: [8, -8], refusedSeconds: [300, -300], jumpSeconds: 300, watchedMs: 15_000 },
    run: runClocks,
  }),
  scenario({
    name: "wrong-primary",
    about: "a new primary of MongoDB whose clock is ahead makes no timer fire early",
    sizes: {},
    fixed: { aheadSeconds: 300, watchedMs: 10_000 },
    run: runWrongPrimary,
  }),
  scenario({
    name: "wrong-redis",
    about: "a host whose wrong clock Redis shares accepts the other hosts' tokens, and they its",
    sizes: {},
    fixed: { offsSeconds: [8, -8] },
    run: runWrongRedis,
  }),
  scenario({
    name: "schema-step",
    about:
      "an index build outlives its deadline of before, its host and the set's primary, and nothing serves before it is done",
    sizes: { documents: 200_000 },
    fixed: { heldMs: 90_000 },
    run: runSchemaStep,
  }),
  scenario({
    name: "restored",
    about: "after a restore from a backup nothing acts that the database has lost, whatever Redis has",
    sizes: {},
    fixed: {},
    run: runRestored,
  }),
  scenario({
    name: "hung-jobs",
    about: "a jobs worker that hangs delays no prediction beside another, and by itself until it is replaced",
    sizes: {},
    fixed: { seconds: 30, lateMs: 3_000, aloneLateMs: 25_000 },
    run: runHungJobs,
  }),
  scenario({
    name: "unread-output",
    about:
      "a service whose standard output nobody reads answers every request, and tells which lines it dropped",
    sizes: { requests: 40_000 },
    fixed: { seconds: 30 },
    run: runUnreadOutput,
  }),
  scenario({
    name: "silent-peers",
    about:
      "dropped packets to Redis, mail server and file store cost no more than their deadlines, and nothing else",
    sizes: {},
    fixed: { droppedMs: 20_000, refusedWithinMs: 250, heardWithinMs: 15_000, deliveredWithinMs: 90_000 },
    run: runSilentPeers,
  }),
  scenario({
    name: "silent-mongo",
    about: "packets to MongoDB's primary are dropped; bets wait hardly longer than MongoDB itself needs",
    sizes: { faults: 3 },
    fixed: { writers: 12, calmMs: 1_500, gapWithinMs: 3_000, refusals: 5_000 },
    run: runSilentMongo,
  }),
  ...BALANCERS.map((balancer) =>
    scenario({
      name: balancer,
      about: "a balancer loses no request when a host loses its stores or a jobs worker",
      sizes: {},
      fixed: { balancer, everywhere: true },
      run(options, print) {
        install(balancer);
        return runBalancer(options, print);
      },
    }),
  ),
];
