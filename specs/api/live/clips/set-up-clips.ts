import { setUpWorld } from "../../../support/set-up-world.ts";
import type { openWorld } from "../../../support/world.ts";
import { givenClips } from "./given-clips.ts";
import { type SpecMediaService, startMediaService } from "./media-service.ts";
import { sentChanges } from "./sent-changes.ts";

/** A world with a media service during this `describe`, and its fixtures. Use them only in its hooks and specs, as `setUpWorld`'s. */
export function setUpClips(options: Parameters<typeof openWorld>[0] = {}) {
  const media = {} as SpecMediaService;
  let started: SpecMediaService | null = null;
  before(async () => {
    started = await startMediaService();
    Object.assign(media, started);
  });
  const { world, given } = setUpWorld(() => ({ ...options, mediaUrl: media.url }));
  before(() => media.serves(world));
  after(() => started?.close());
  return { media, world, given, clips: givenClips(media), sent: sentChanges(media, world) };
}
