import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { startViewerCounts, type ViewerSamples } from "../../../jobs/live/viewer-counts/sweep.ts";
import { type Streams, streamsIn } from "../../../store/mongo/channels/streams.ts";
import { connectMongo, type Mongo } from "../../../store/mongo/driver/connect.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { streamDoc } from "../../support/stream-doc.ts";

const STREAMS = 600;

describe("copying viewer counts", () => {
  let mongo: Mongo;
  let streams: Streams;
  let written: number[];
  const viewers = new Map<string, number>();
  /** Those that can't be counted now. */
  const away = new Set<string>();
  const observed: ViewerSamples[] = [];
  let counts: ReturnType<typeof startViewerCounts>;
  let ids: { streamId: string; sessionId: string }[];

  before(async () => {
    mongo = await connectMongo({
      url: process.env.MONGODB_URL ?? "",
      database: `livecore_spec_counts_${process.pid}`,
      selectionTimeoutMs: 5_000,
      maxPoolSize: 5,
      monitorCommands: true,
    });
    mongo.client.on("commandStarted", ({ commandName, command }) => {
      if (commandName === "update") written.push(command.updates.length);
    });
    streams = streamsIn(mongo.db);
    written = [];
    ids = Array.from({ length: STREAMS }, () => ({ streamId: newId(), sessionId: newId() }));
    for (const { streamId, sessionId } of ids) {
      await streams.insert(streamDoc({ _id: streamId, sessionId, isLive: true }));
    }
    counts = startViewerCounts({
      streams,
      presence: {
        countEach: async (some) =>
          new Map(some.filter((id) => !away.has(id)).map((id) => [id, viewers.get(id) ?? 0])),
      },
      broadcasts: { sample: async (seen) => void observed.push(...seen) },
      log: quietLog(),
      intervalMs: 3_600_000,
    });
  });
  after(async () => {
    await counts.stop();
    await mongo.db.dropDatabase();
    await mongo.close();
  });
  beforeEach(() => {
    written = [];
    observed.length = 0;
  });

  const [some, others] = [(n: number) => n % 3 === 0, (n: number) => n % 3 !== 0];
  const shown = async () =>
    new Map((await streams.shownLive()).map((one) => [one.streamId, one.viewerCount]));

  it("writes those that have changed, in one go, and nothing when none has", async () => {
    const changed = ids.filter((_, n) => some(n)).map(({ streamId }) => streamId);
    for (const streamId of changed) viewers.set(streamId, 7);
    await counts.tick();

    // 500 are looked at together.
    expect(written).length(2);
    expect(written.reduce((sum, size) => sum + size, 0)).equal(changed.length);
    const after = await shown();
    expect(ids.every(({ streamId }, n) => after.get(streamId) === (others(n) ? 0 : 7))).equal(true);

    written = [];
    await counts.tick();
    expect(written).deep.equal([]);
  });

  it("reports a change to a broadcast at once, and all looks within a minute", async () => {
    for (let minute = 0; minute < 12; minute++) await counts.tick();
    const looks = new Map<string, number>();
    for (const seen of observed) looks.set(seen.sessionId, (looks.get(seen.sessionId) ?? 0) + seen.looks);
    expect(observed.length).within(STREAMS, 2 * STREAMS);
    expect([...looks.values()].every((count) => count <= 14)).equal(true);
    expect(looks.size).equal(STREAMS);

    observed.length = 0;
    const [{ streamId, sessionId } = { streamId: "", sessionId: "" }] = ids;
    viewers.set(streamId, 90);
    await counts.tick();
    expect(observed).deep.include({ sessionId, viewers: 90, looks: 1 });
    expect(observed.length).below(STREAMS / 2);
  });

  it("leaves a stream alone that can't be counted now, and goes on where it was", async () => {
    const [, { streamId, sessionId } = { streamId: "", sessionId: "" }] = ids;
    viewers.set(streamId, 5);
    await counts.tick();
    observed.length = 0;
    away.add(streamId);
    await counts.tick();

    expect((await shown()).get(streamId)).equal(5);
    expect(observed.filter((seen) => seen.sessionId === sessionId)).deep.equal([]);

    away.delete(streamId);
    for (let look = 0; look < 12; look++) await counts.tick();
    expect(observed.filter((seen) => seen.sessionId === sessionId)).deep.equal([
      { sessionId, viewers: 5, looks: 12 },
    ]);
  });

  it("leaves a stream alone that has gone offline meanwhile", async () => {
    const [{ streamId } = { streamId: "" }] = ids;
    await streams.update(streamId, { $set: { isLive: false, viewerCount: 0 } });

    await streams.setViewerCounts([{ streamId, viewerCount: 90 }]);

    expect((await streams.find(streamId))?.viewerCount).equal(0);
  });
});
