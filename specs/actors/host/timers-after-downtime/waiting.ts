import type { World } from "../world.ts";

const AT_ONCE = 40;

/** Sets the world's clock for what happens next in the same turn of the event loop. */
export const setClock = (world: World, at: number): void => world.move(at - world.clock.now());

/** Does the work for all items, so many at a time. */
export async function eachOf<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = [...items];
  const lane = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
