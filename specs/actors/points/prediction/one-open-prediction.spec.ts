import { expect } from "chai";
import { MongoNetworkError } from "mongodb";
import { createHost } from "../../../../actors/host/host.ts";
import {
  type PredictionDefinition,
  predictionDefinition,
} from "../../../../actors/points/prediction/definition.ts";
import { createPredictions } from "../../../../actors/points/prediction/predictions.ts";
import { openWorld, type World } from "../../host/world.ts";

describe("predictions that are opened at the same time", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const QUESTION = { title: "?", outcomes: [{ title: "yes" }, { title: "no" }], durationSeconds: 60 };
  const codeOf = (opening: Promise<{ _id: string }>) =>
    opening.then(
      ({ _id }) => _id,
      (err: { code?: string }) => err.code ?? String(err),
    );

  it("by two workers: one is, the other is refused", async () => {
    const rival = world.rival();
    for (let round = 0; round < 10; round++) {
      const stream = await world.stream();
      const open = ({ predictions }: Pick<World, "predictions">) =>
        codeOf(predictions.open({ ...QUESTION, stream, by: stream.userId }));

      const opened = await Promise.all([open(world), open(rival)]);

      const id = (await world.predictions.openOf(stream._id))?._id;
      expect(opened.sort()).deep.equal([id, "prediction_open"].sort());
    }
  });

  it("by two workers with the same key: both have the one that is", async () => {
    const rival = world.rival();
    for (let round = 0; round < 10; round++) {
      const stream = await world.stream();
      const open = ({ predictions }: Pick<World, "predictions">) =>
        codeOf(predictions.open({ ...QUESTION, stream, by: stream.userId, key: "the same" }));

      const opened = await Promise.all([open(world), open(rival)]);

      const id = (await world.predictions.openOf(stream._id))?._id;
      expect(opened).deep.equal([id, id]);
    }
  });

  it("with a key that another worker answers meanwhile: its own prediction isn't taken for the violation", async () => {
    const stream = await world.stream();
    const input = { ...QUESTION, stream, by: stream.userId, key: "meanwhile" };
    const meanwhile: string[] = [];
    const definition = predictionDefinition(world.mongo.db);
    const slow: PredictionDefinition = {
      ...definition,
      async prepare(batch) {
        const reads = await definition.prepare(batch);
        // The key was looked for before, and wasn't there.
        if (meanwhile.length === 0) meanwhile.push((await world.predictions.open(input))._id);
        return reads;
      },
    };
    const { mongo, deps } = world;
    const host = createHost({ ...deps, outbox: world.outbox, machines: [slow] });
    const rival = createPredictions({ mongo, host, definition: slow, onProgress: () => undefined });

    expect([await codeOf(rival.open(input))]).deep.equal(meanwhile);
  });

  it("by a worker that gets no answer to its commit: it finds its own", async () => {
    let cuts = 1;
    const { mongo } = world;
    const client = new Proxy(mongo.client, {
      get(target, name) {
        if (name !== "startSession") return Reflect.get(target, name);
        return () => {
          const session = target.startSession();
          const commit = session.commitTransaction.bind(session);
          session.commitTransaction = async () => {
            await commit();
            if (cuts-- > 0) throw new MongoNetworkError("the connection was cut after the commit");
          };
          return session;
        };
      },
    });
    const rival = world.rival({ mongo: { ...mongo, client } });
    const stream = await world.stream();

    const id = await codeOf(rival.predictions.open({ ...QUESTION, stream, by: stream.userId }));

    expect((await world.predictions.openOf(stream._id))?._id).equal(id);
  });
});
