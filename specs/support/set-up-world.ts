import { type Given, givenChannels } from "./given-channels.ts";
import { openWorld, type World } from "./world.ts";

/**
 * A world that is open while the specs of this `describe` run, and what can be given in it. Both are for its hooks and specs:
 * before those, neither has anything.
 */
export function setUpWorld(options?: Parameters<typeof openWorld>[0]): { world: World; given: Given } {
  const world = {} as World;
  before(async () => void Object.assign(world, await openWorld(options)));
  after(() => world.close());
  return { world, given: givenChannels(world) };
}
