import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel } from "../../../support/given-channels.ts";
import type { World } from "../../../support/world.ts";
import type { SpecMediaService } from "./media-service.ts";

/** What the media service was notified of. */
export function sentChanges(media: SpecMediaService, world: World) {
  const attempts = (id: string) =>
    media.requested.filter(({ type, data }) => type !== "clip.create" && Object.values(data).includes(id));
  /** Requests, each as "type visibility" and without its repetitions. */
  const linesOf = (requests: SpecMediaService["requested"]): string[] => {
    const lines = requests.map(({ id: hookId, type, data: { visibility } }) => ({
      key: `${hookId} ${visibility}`,
      line: visibility === undefined ? type : `${type} ${visibility}`,
    }));
    const sent = [...new Map(lines.map(({ key, line }) => [key, line])).values()];
    // Two sweeps at once may send a state with the row of the change before, too.
    return sent.filter((line, n) => line !== sent[n - 1] || !line.includes("set_visibility"));
  };
  /** About that clip, recording or stream. */
  const about = (id: string) => linesOf(attempts(id));
  return {
    attempts,
    about,
    accepted: (id: string) => linesOf(attempts(id).filter(({ isAccepted }) => isAccepted)),
    arrive: (id: string, expected: string[]) =>
      eventually(async () => {
        await world.core.mediaChanges.sweep(() => true);
        expect(about(id)).deep.equal(expected);
      }),
  };
}

/** Reports a recording of the channel, as the media service does once it is ready. */
export async function reportRecording(media: SpecMediaService, { at }: Channel, recordingId = newId()) {
  const about = { ...at, media_recording_id: recordingId };
  const data = { ...about, duration_seconds: 60, thumbnail_path: "thumbnail.jpg" };
  expect(await media.report("recording.ready", data)).equal(200);
  return recordingId;
}
