import { expect } from "chai";
import { processClock as clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { openTransactionsIn } from "../../../store/mongo/driver/abandoned-transactions.ts";
import { withChildren } from "../../stress/children.ts";
import type { Print } from "../../stress/scenario.ts";
import { bundle } from "../../support/bundle.ts";
import type { Point } from "../host/crash/points.ts";
import { openWorld } from "../host/world.ts";
import { followerFact, givenFacts, liveFact, notificationsOf } from "./given-facts.ts";
import { type Input, isPassed } from "./messages.ts";

/** Of which every `share`-th point is taken; the seed decides with which of them it begins. */
type Options = { seed: number; share: number; followers: number };

/**
 * Kills a process that makes lists of notifications, and pushes of them, at points of its way, a new process for each.
 * Afterwards another goes on, and each user was notified once.
 */
export async function runNotificationKills({ seed, share, followers: count }: Options, print: Print) {
  const world = await openWorld();
  try {
    const module = await bundle("specs/actors/notifications/child.ts");
    const { mongo, outbox } = world;
    const given = givenFacts(mongo.db);
    const { fanOut, deliver } = notificationsOf({ mongo, outbox, clock });
    const transactions = openTransactionsIn(mongo);

    /** The users to notify, and the points on the way of a process that wasn't killed. */
    const run = async (dieAt: Point | null) => {
      const [owner, channel] = [newId(), newId()];
      const followers = await given.followers(channel, count, new Date(0));
      const pushed = [owner, ...followers.slice(0, 20)];
      await given.devices(pushed);
      await given.happen(followerFact(owner, new Date()), liveFact(channel, new Date()));
      return withChildren(async (start) => {
        const input: Input = { database: mongo.db.databaseName, dieAt };
        const child = start(module, input);
        const { how, stderr } = await child.ended;
        if (dieAt === null && how !== 0) throw new Error(stderr);
        const passed = how === "SIGKILL" ? null : (child.received.find(isPassed)?.passed ?? []);
        return { userIds: [owner, ...followers].sort(), pushed: pushed.sort(), passed };
      });
    };

    const { passed } = await run(null);
    const points = (passed ?? []).filter((_, i) => i % share === seed % share);
    print(`${points.length} of ${passed?.length ?? 0} points`);
    let died = 0;
    for (const point of points) {
      const { userIds, pushed, passed: alive } = await run(point);
      if (alive === null) died++;
      await transactions.end(await transactions.waiting());
      await fanOut();
      await deliver();

      const at = `died at ${point.label} #${point.nth}`;
      expect(await given.notifiedAmong(userIds), at).deep.equal(userIds);
      const pushes = await given.pushesTo(pushed);
      expect(pushes.map(({ userId }) => userId).sort(), at).deep.equal(pushed);
    }
    return { points: points.length, died };
  } finally {
    await world.close();
  }
}
