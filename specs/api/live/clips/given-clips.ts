import type { Channel, Person } from "../../../support/given-channels.ts";
import type { SpecMediaService } from "./media-service.ts";

/** Fixtures: clips as users create them and the media service reports them. */
export function givenClips(media: SpecMediaService) {
  const made = async (by: Person, channel: Channel, more: object = {}) =>
    by.api.ok("createClip", {
      body: { ...channel.at, title: "A clip", start_time: 0, end_time: 5, ...more },
    });
  return {
    made,
    /** A clip that was requested from the media service, which has reported it. */
    async ready(by: Person, channel: Channel, more: object = {}) {
      const clip = await made(by, channel, more);
      await media.isRequested(clip.id);
      await media.report("clip.ready", readyData(clip.id));
      return clip;
    },
  };
}

export const readyData = (clip_id: string) => ({
  clip_id,
  video_path: "clip.mp4",
  thumbnail_path: "pictures/clip.jpg",
  duration: 5.2,
});

/** As a media service reports that has permanent addresses instead of files. */
export const readyAt = (clip_id: string) => ({
  clip_id,
  video_url: `https://media.example/${clip_id}.mp4`,
  thumbnail_url: `https://media.example/${clip_id}.jpg`,
});
