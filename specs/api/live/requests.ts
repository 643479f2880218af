import { newId } from "../../../base/ids.ts";
import type { ResourceRequests } from "../authorization/resource-requests.ts";

export const liveRequests: ResourceRequests = {
  forEach: ["likeClip", "unlikeClip", "viewClip", "viewVideo", "createClip"],

  requests({ world, people, goLive, ingestHook, unknownReport }) {
    const { at, owner, user } = people;
    const now = () => new Date(world.clock.now());

    /** A clip's body, of a broadcast that has lasted long enough. */
    async function clipBody() {
      const clips = { ...at, title: "Who may do this?", start_time: 0, end_time: 5 };
      if (await world.core.broadcasts.runningIn(at.stream_id, new Date(0), now())) return clips;
      await goLive(owner);
      world.clock.move(10_000);
      return clips;
    }

    /** The user's clip of the owner's channel; not by REST, whose limit is thirty an hour. */
    async function clip(): Promise<string> {
      const body = await clipBody();
      const { stream_id: streamId, title, start_time: startTime, end_time: endTime } = body;
      const input = { streamId, title, startTime, endTime, description: "", visibility: "public" } as const;
      const { _id } = await world.core.clips.create(user.id, input);
      const data = { clip_id: _id, video_url: "https://cdn.example.com/clip.mp4" };
      const created_at = now().toISOString();
      await world.core.media.report(_id, { id: _id, type: "clip.ready", created_at, data });
      return _id;
    }

    /** A video of the owner. */
    async function video(): Promise<string> {
      const data = { ...at, media_recording_id: newId(), duration_seconds: 60 };
      const id = newId();
      await world.core.media.report(id, {
        id,
        type: "recording.ready",
        created_at: now().toISOString(),
        data,
      });
      const [made] = (await world.core.media.videosOf(owner.id, owner.id, { skip: 0, limit: 1 })).items;
      if (!made) throw new Error("a recording makes a video");
      return made._id;
    }

    /** Of the owner, in a running broadcast. */
    async function marker(): Promise<string> {
      const { stream_id: streamId } = at;
      if (!(await world.core.broadcasts.runningIn(streamId, new Date(0), now()))) await goLive(owner);
      return (await world.core.markers.add(streamId, null, { by: owner.id })).id;
    }

    return {
      values: { clip_id: clip, video_id: video, marker_id: marker },
      prepared: {
        createClip: async () => ({ body: await clipBody() }),
        mediaHook: () => unknownReport("media"),
        ingestPublish: () => ingestHook("publish"),
        ingestPublishDone: () => ingestHook("publish_done"),
        ingestUpdate: async () => {
          await goLive(owner);
          return ingestHook("update_publish");
        },
      },
      ofCaller: { heartbeat: (caller) => ({ body: { ...at, device_id: caller } }) },
    };
  },

  shown: {
    heartbeat: "nowhere",
    createClip: "in a room",
    updateClip: "in a room",
  },

  fields: {
    "createClip body.stream_id": {
      request: ({ streamId }) => ({
        body: { stream_id: streamId, title: "A clip", start_time: 0, end_time: 5 },
      }),
    },
    "heartbeat body.stream_id": {
      request: ({ streamId }) => ({ body: { stream_id: streamId } }),
    },
  },
};
