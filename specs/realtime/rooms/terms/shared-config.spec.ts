import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { createRoomConfigs, type StoredConfig } from "../../../../realtime/rooms/config/room-configs.ts";
import { keys } from "../../../../store/redis/keys.ts";
import { openStores, type Stores } from "../../../support/stores.ts";

const configOf = (version: number): StoredConfig => ({
  terms: [{ term: `word${version}`, isRegex: false, action: "block" }],
  emotes: [],
  badges: [],
  // Last: the order in which it is made says nothing.
  version,
});

describe("What workers share of a room's configuration", () => {
  let stores: Stores;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  const worker = (load: () => Promise<StoredConfig>) => createRoomConfigs({ redis: stores.redis, load });
  const kept = (streamId: string) =>
    worker(() => Promise.reject(new Error("MongoDB was queried"))).of(streamId, 1);

  it("is the newest, however late a worker comes that has read an older one", async () => {
    const streamId = newId();
    const fast = worker(async () => configOf(2));
    // While it reads the older one, another worker has read and shared the newer one.
    const slow = worker(async () => {
      const older = configOf(1);
      await fast.of(streamId, 2);
      return older;
    });

    expect((await slow.of(streamId, 1)).version).equal(1);

    expect((await kept(streamId)).version).equal(2);
  });

  it("is replaced by a newer one, whose version is compared as a number", async () => {
    const streamId = newId();
    await worker(async () => configOf(9)).of(streamId, 9);
    await worker(async () => configOf(10)).of(streamId, 10);

    expect((await kept(streamId)).version).equal(10);
    expect(await stores.redis.ttl(keys.roomConfig(streamId))).above(24 * 3_600);
  });
});
