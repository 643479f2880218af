import type { IndexDescription } from "mongodb";
import { historyCollection } from "../../store/mongo/host/history.ts";
import { outboxCollection } from "../../store/mongo/host/outbox.ts";
import { timersCollection } from "../../store/mongo/host/timers.ts";
import { writeTransition } from "./baselines.ts";
import type { Stage } from "./stage.ts";

/** The baseline's collections have the indexes of the real ones, where those have any: they are part of what a step has to write. */
const INDEXES = {
  predictions: [{ key: { streamId: 1, createdAt: -1, _id: -1 } }, { key: { streamId: 1 } }],
  timers: timersCollection.indexes,
  history: historyCollection.indexes,
  outbox: outboxCollection.indexes,
} satisfies Record<string, IndexDescription[]>;

type TransitionFigures = { ours: number[]; bare: number[] };

/** One event at one actor at a time, committed: locking predictions, each beside the bare transaction, ms. */
export async function transition(stage: Stage, rounds: number): Promise<TransitionFigures> {
  const figures: TransitionFigures = { ours: [], bare: [] };
  const { client, db } = stage.mongo;
  const bare = { client, db };
  for (const [name, indexes] of Object.entries(INDEXES))
    await db.collection(`bare_${name}`).createIndexes(indexes);
  for (let round = 0; round < rounds; round++) {
    const stream = await stage.stream();
    const opened = await stage.prediction(stream);
    const snapshot = await db
      .collection<{ _id: string }>("snapshots")
      .findOne({ _id: `prediction:${opened._id}` });
    if (!snapshot) throw new Error("an opened prediction has a snapshot");
    const { _id: _key, ...rest } = snapshot;
    await db.collection<{ _id: string }>("bare_snapshots").insertOne({ _id: opened._id, ...rest });
    await db.collection<{ _id: string }>("bare_predictions").insertOne({ ...opened });
    const { _id: _same, ...prediction } = opened;
    const steps: [number[], () => Promise<unknown>][] = [
      [figures.ours, () => stage.predictions.lock(opened._id, stream.userId)],
      [figures.bare, () => writeTransition(bare, "bare", { snapshot: rest, prediction }, opened._id)],
    ];
    // The side that goes first warms what the other needs, so they take turns.
    for (const [took, step] of round % 2 ? steps : steps.reverse()) {
      const from = performance.now();
      await step();
      took.push(performance.now() - from);
    }
    await stage.host.idle();
  }
  return figures;
}
