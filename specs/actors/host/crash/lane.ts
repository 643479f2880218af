import { streamsIn } from "../../../../store/mongo/channels/streams.ts";
import { openTransactionsIn } from "../../../../store/mongo/driver/abandoned-transactions.ts";
import { keys } from "../../../../store/redis/keys.ts";
import { type Child, isReady, startChild } from "../../../stress/child.ts";
import { within } from "../../../stress/children.ts";
import { payingOf } from "../../monetization/payments/paying.ts";
import { eventRecorderIn } from "../published-events.ts";
import { openWorld } from "../world.ts";
import { type Input, isAnswer, isEnd, type Task } from "./messages.ts";
import type { Point } from "./points.ts";
import { recover } from "./recovery.ts";
import type { Scenario, Services } from "./scenario.ts";
import { expectNothingWrong } from "./verdict.ts";

const LIFE_MS = 60_000;

export type Lane = Awaited<ReturnType<typeof openLane>>;

/** A database in which one process after the other dies. The next one is started while the last one's remains are checked. */
export async function openLane(module: string) {
  const world = await openWorld();
  const { db } = world.mongo;
  const input: Input = { database: db.databaseName, list: `lc-spec:${db.databaseName}` };
  const recorder = eventRecorderIn(world.stores.redis, input.list);
  /** A process that isn't killed. */
  const rival = world.rival(recorder.publishers);
  const actors: Services = { ...rival, paying: payingOf({ ...world.deps, actors: rival }) };
  let waiting = startChild(module, input);

  async function nextChild(): Promise<Child> {
    const child = waiting;
    waiting = startChild(module, input);
    await child.next(isReady);
    return child;
  }

  /** The child's answers before it died, and the points it passed when it didn't. */
  async function live(task: Task) {
    const child = await nextChild();
    child.send(task);
    const { how, stderr } = await within(
      LIFE_MS,
      `the end of a process: ${task.scenario}`,
      child.ended,
    ).finally(() => child.kill());
    const answers = new Map(
      child.received.filter(isAnswer).map(({ answered, answer }) => [answered, answer]),
    );
    const end = child.received.find(isEnd);
    if (how !== "SIGKILL" && (!end || end.errors > 0))
      throw new Error(`it failed instead of dying: ${stderr}`);
    return { answers, passed: end?.passed ?? [], died: how === "SIGKILL" };
  }

  return {
    /**
     * Runs a scenario until its process dies, or to its end, lets another process recover, and checks all that is left
     * against the guarantees.
     */
    async run(scenario: Scenario, dieAt: Point | null): Promise<{ passed: Point[]; died: boolean }> {
      const stage = await scenario.prepare(actors, world);
      await actors.host.idle();
      const steps = scenario.steps(stage);
      const { answers, passed, died } = await live({
        scenario: scenario.name,
        stage,
        now: world.clock.now(),
        dieAt,
      });
      world.move(steps.reduce((sum, step) => sum + (step.passMs ?? 0), 0));
      await freeWhatItHeld(stage.stream._id, stage.predictionId);
      const stream = await streamsIn(db).find(stage.stream._id);
      if (!stream) throw new Error("a stage has a stream");
      const stakes = await recover({ world, actors, stream, steps, answers });
      await expectNothingWrong({ db, stage, stakes, published: await recorder.events() });
      await recorder.forget();
      return { passed, died };
    },

    async close(): Promise<void> {
      waiting.kill();
      await waiting.ended;
      await recorder.forget();
      await world.close();
    },
  };

  /**
   * The sweep in `jobs` frees the locks of a dead process's transaction, and time frees its turn: both take two seconds, too much
   * for a run with hundreds of deaths. Other specs wait for them.
   */
  async function freeWhatItHeld(streamId: string, predictionId: string | null): Promise<void> {
    const transactions = openTransactionsIn(world.mongo);
    await transactions.end(await transactions.waiting());
    const open = predictionId ?? (await world.predictions.openOf(streamId))?._id;
    const raid = await world.raids.openFrom(streamId);
    const actors = [
      ...[`live-stream:${streamId}`, `subscription:${streamId}`],
      ...(open ? [`prediction:${open}`] : []),
      ...(raid ? [`raid:${raid._id}`] : []),
    ];
    await world.stores.redis.del(actors.map(keys.actorTurn));
  }
}
