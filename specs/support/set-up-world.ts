import { type Given, givenChannels } from "./given-channels.ts";
import { openWorld, type World } from "./world.ts";

type Options = Parameters<typeof openWorld>[0];

/**
 * A world that is open during this `describe`, and its fixtures. Use both only in its hooks and specs: before, they are
 * empty. `options` is a function where they come from a hook before.
 */
export function setUpWorld(options?: Options | (() => Options)): { world: World; given: Given } {
  const world = {} as World;
  let opened: World | null = null;
  before(async () => {
    opened = await openWorld(typeof options === "function" ? options() : options);
    Object.assign(world, opened);
  });
  // A hook before this one may have skipped all, as without a browser.
  after(() => opened?.close());
  return { world, given: givenChannels(world) };
}
