import { type Given, givenChannels } from "./given-channels.ts";
import { openWorld, type World } from "./world.ts";

/**
 * A world that is open during this `describe`, and its fixtures. Use both only in its hooks and specs: before, they are
 * empty.
 */
export function setUpWorld(options?: Parameters<typeof openWorld>[0]): { world: World; given: Given } {
  const world = {} as World;
  let opened: World | null = null;
  before(async () => {
    opened = await openWorld(options);
    Object.assign(world, opened);
  });
  // A hook before this one may have skipped all, as without a browser.
  after(() => opened?.close());
  return { world, given: givenChannels(world) };
}
