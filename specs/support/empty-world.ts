import { newId } from "../../store/ids.ts";
import { openStores } from "./stores.ts";
import { openWorld, type World } from "./world.ts";

/** As `openWorld`, on a database of its own that is gone afterwards: for specs that name users and count what there is. */
export async function openEmptyWorld(options: Parameters<typeof openWorld>[0] = {}): Promise<World> {
  const database = `livecore_spec_empty_${process.pid}_${newId().slice(-6)}`;
  const world = await openWorld({ ...options, stores: () => openStores(database) });
  return {
    ...world,
    async close() {
      await world.close();
      const { mongo, close } = await openStores(database);
      await mongo.db.dropDatabase();
      await close();
    },
  };
}
