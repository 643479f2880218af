import { expect } from "chai";
import { createHost } from "../../../../actors/host/host.ts";
import { newId } from "../../../../base/ids.ts";
import { createUpgrades } from "../../../../jobs/host/machine-versions/upgrade.ts";
import { createTimerSweeper } from "../../../../jobs/host/timers/sweeper.ts";
import { snapshotsIn } from "../../../../store/mongo/host/snapshots.ts";
import { timersIn } from "../../../../store/mongo/host/timers.ts";
import type { World } from "../world.ts";
import { lampDefinition } from "./lamp.ts";

export const DIM = "xstate.after.30000.lamp.lit.bright";
export const EVENING = "xstate.after.evening.lamp.lit";
export const FORMER = "xstate.after.600000.lamp.lit";

/** Lamps, handled by both versions' code. */
export function lampsIn(world: World) {
  const codeOf = (version: 1 | 2) => {
    const definition = lampDefinition(version);
    const host = createHost({ ...world.deps, outbox: world.outbox, machines: [definition] });
    const { mongo, redis, clock, log } = world.deps;
    return {
      host,
      create: async (minutes = 5) => {
        const id = newId();
        await host.create(definition, id, { minutes }, { by: null });
        return id;
      },
      send: (id: string, type: "touch" | "dim" | "leave") => host.ask(definition, id, { type }, { by: null }),
      sweeper: createTimerSweeper({ host, mongo, clock, log }),
      upgrades: (page?: number) =>
        createUpgrades({
          host,
          machines: [definition],
          mongo,
          redis,
          clock,
          log,
          ...(page === undefined ? {} : { page }),
        }),
    };
  };
  const snapshots = snapshotsIn(world.mongo.db);
  return {
    old: codeOf(1),
    now: codeOf(2),
    /** The timers by name, with their due times from now. */
    timersOf: async (id: string) => {
      const [rows, doc] = await Promise.all([
        timersIn(world.mongo.db).ofActor(`lamp:${id}`),
        snapshots.find(`lamp:${id}`),
      ]);
      const due = (all: { timerId: string; dueAt: Date }[]) =>
        Object.fromEntries(all.map(({ timerId, dueAt }) => [timerId, dueAt.getTime() - world.clock.now()]));
      expect(due(doc?.timers ?? [])).deep.equal(due(rows));
      return due(rows);
    },
    versionOf: async (id: string) => (await snapshots.find(`lamp:${id}`))?.machineVersion,
    pathsOf: async (id: string) => {
      const { items } = await codeOf(2).host.history("lamp", id, { skip: 0, limit: 10 });
      return items.map(({ to }) => to);
    },
  };
}
