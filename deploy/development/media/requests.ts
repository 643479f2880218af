import Type, { type Static } from "typebox";

const id = Type.String({ pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" });
const time = Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+Z$" });
const visibility = Type.Union([Type.Literal("public"), Type.Literal("unlisted"), Type.Literal("private")]);
const request = <Name extends string, Data extends Parameters<typeof Type.Object>[0]>(
  type: Name,
  data: Data,
) => Type.Object({ id: Type.String(), type: Type.Literal(type), data: Type.Object(data) });

const CREATE = request("clip.create", {
  clip_id: id,
  stream_id: id,
  broadcast_started_at: time,
  start_time: Type.Number({ minimum: 0 }),
  end_time: Type.Number({ exclusiveMinimum: 0 }),
});

/** The service's requests (docs/media.md). */
export const MEDIA_REQUEST = Type.Union([
  CREATE,
  request("clip.set_visibility", { clip_id: id, visibility }),
  request("clip.delete", { clip_id: id }),
  request("recording.set_visibility", { media_recording_id: id, visibility }),
  request("recording.delete", { media_recording_id: id }),
  request("stream.delete_thumbnails", { stream_id: id, taken_until: time }),
]);
export type MediaRequest = Static<typeof MEDIA_REQUEST>;
export type ClipRequest = Static<typeof CREATE>["data"];
