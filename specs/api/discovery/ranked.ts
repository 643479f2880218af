import { WINDOW_MS } from "../../../store/mongo/channels/stream-positions.ts";
import type { Channel } from "../../support/given-channels.ts";
import type { World } from "../../support/world.ts";

/** Gives each channel one viewer more than the next one, and moves to the half minute whose ranks use these counts. */
export async function rankedByViewers(world: World, channels: readonly Channel[]): Promise<void> {
  const into = world.clock.now() % WINDOW_MS;
  // The ranks of the next window are computed in the second half of the present one.
  world.clock.move(((WINDOW_MS * 8) / 15 - into + WINDOW_MS) % WINDOW_MS);
  for (const [place, { at }] of channels.entries())
    for (let n = place; n < channels.length; n++)
      await world.api.ok("heartbeat", { body: { ...at, device_id: `device-${n}` } });
  await world.jobs.viewerCounts.tick();
  await world.jobs.streamLists.tick();
  world.clock.move(WINDOW_MS / 2);
}
