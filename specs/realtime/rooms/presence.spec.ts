import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { keys } from "../../../store/redis/keys.ts";
import { openRoomsWorld, type RoomsWorld } from "./world.ts";

describe("presence", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  const device = (deviceId: string, ip = "10.0.0.1") => ({ deviceId, ip });

  it("counts a user once and anonymous viewers by device, for 60 seconds", async () => {
    const streamId = newId();
    const userId = newId();

    await world.presence.heartbeat({ streamId, viewer: { userId } });
    await world.presence.heartbeat({ streamId, viewer: { userId } });
    await world.presence.heartbeat({ streamId, viewer: device("a") });
    const last = await world.presence.heartbeat({ streamId, viewer: device("b") });

    expect(last.viewerCount).equal(3);
    world.advance(59_999);
    expect(await world.presence.count(streamId)).equal(3);
    world.advance(1);
    expect(await world.presence.count(streamId)).equal(0);
  });

  it("counts at most fifty devices of one address", async () => {
    const streamId = newId();

    for (let i = 0; i < 55; i++) await world.presence.heartbeat({ streamId, viewer: device(`d${i}`) });
    const other = await world.presence.heartbeat({ streamId, viewer: device("d1", "10.0.0.2") });

    expect(other.viewerCount).equal(50);
    expect((await world.presence.heartbeat({ streamId, viewer: device("e", "10.0.0.2") })).viewerCount).equal(
      51,
    );
  });

  it("completes a window with every full five minutes, however the heartbeats fall", async () => {
    const streamId = newId();
    const viewer = { userId: newId() };
    const windows: (number | null)[] = [];
    const beat = async () => {
      const { presenceWindow } = await world.presence.heartbeat({ streamId, viewer });
      windows.push(presenceWindow);
      if (presenceWindow !== null) {
        await world.presence.settle({ streamId, userId: viewer.userId, window: presenceWindow });
      }
    };

    await beat();
    for (let i = 0; i < 24; i++) {
      world.advance(25_000);
      await beat();
    }

    const paid = windows.flatMap((window, i) => (window === null ? [] : [{ window, i }]));
    expect(paid.map(({ i }) => i)).deep.equal([12, 24]);
    expect(paid[1]?.window).greaterThan(paid[0]?.window ?? Number.NaN);
  });

  it("names a window again until it is settled, and loses no time meanwhile", async () => {
    const streamId = newId();
    const viewer = { userId: newId() };
    const beat = async () => (await world.presence.heartbeat({ streamId, viewer })).presenceWindow;
    await beat();
    const seen: (number | null)[] = [];
    for (let i = 0; i < 24; i++) {
      world.advance(25_000);
      seen.push(await beat());
    }
    const [window = null] = seen.filter((one) => one !== null);
    if (window === null) throw new Error("no window was completed");
    await world.presence.settle({ streamId, userId: viewer.userId, window: window - 1 });
    const unsettled = await beat();
    await world.presence.settle({ streamId, userId: viewer.userId, window });

    expect(seen.slice(0, 11)).deep.equal(Array(11).fill(null));
    expect(seen.slice(11)).deep.equal(Array(13).fill(window));
    expect(unsettled).equal(window);
    // The five minutes that came after the first are there.
    expect(await beat()).greaterThan(window);
  });

  it("gives each window an index of its own, also those that piled up while nothing could be settled", async () => {
    const streamId = newId();
    const viewer = { userId: newId() };
    const settled: number[] = [];
    async function watch(minutes: number, { settles }: { settles: boolean }): Promise<void> {
      for (let passed = 0; passed < minutes * 60; passed += 30) {
        world.advance(30_000);
        const { presenceWindow: window } = await world.presence.heartbeat({ streamId, viewer });
        if (window === null || !settles) continue;
        settled.push(window);
        await world.presence.settle({ streamId, userId: viewer.userId, window });
      }
    }
    await world.presence.heartbeat({ streamId, viewer });
    await watch(30, { settles: false });
    await watch(30, { settles: true });
    expect(settled).length(12);

    // Nor with one that is completed after all that was forgotten.
    await world.redis.del(keys.watchTime(streamId));
    await watch(6, { settles: true });
    expect(settled).length(13);
    expect(new Set(settled)).property("size", 13);
    expect(Math.max(...settled)).most(world.clock.now() / 300_000);
  });

  it("gives each window an index of its own, also when its heartbeats come less than five minutes apart", async () => {
    const streamId = newId();
    const viewer = { userId: newId() };
    // The first is completed 20 s before a heartbeat that comes just after a full five minutes, the next 280 s later.
    world.advance(300_000 - (world.clock.now() % 300_000) - 20_000);
    await world.presence.heartbeat({ streamId, viewer });
    const settled: number[] = [];
    for (let i = 0; i < 15; i++) {
      world.advance(40_000);
      const { presenceWindow: window } = await world.presence.heartbeat({ streamId, viewer });
      if (window === null) continue;
      settled.push(window);
      await world.presence.settle({ streamId, userId: viewer.userId, window });
    }

    expect(settled).length(2);
    expect(new Set(settled)).property("size", 2);
  });

  it("adds nothing for a pause longer than the window, and nothing for devices", async () => {
    const streamId = newId();
    const viewer = { userId: newId() };
    for (let i = 0; i < 10; i++) {
      world.advance(61_000);
      expect((await world.presence.heartbeat({ streamId, viewer })).presenceWindow).equal(null);
      expect((await world.presence.heartbeat({ streamId, viewer: device("x") })).presenceWindow).equal(null);
    }
  });
});
