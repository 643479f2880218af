import { useEffect } from "preact/hooks";
import { member } from "../../site/live.ts";
import type { Schemas } from "../../site/page-data.ts";
import { type Read, useRead } from "../../site/read.ts";
import { useUserTopic, whenMissed } from "../../site/user-topic.ts";

export type OwnStream = Schemas["OwnerStream"];

/** One's own stream, as the service has it: it is read again with each event about it, and after each gap. */
export function useOwnStream(): Read<OwnStream> {
  const read = useRead("getMyStream", {});
  const { change, again, data } = read;
  const streamId = data?.id;
  useUserTopic(
    (topic) => [
      ...whenMissed(topic, again),
      topic.on("stream.ingest", ({ data: { ingest } }) => {
        change((stream) => ({ ...stream, ingest, is_live: ingest.live_since !== null }));
        // A read that is under way may be older.
        again();
      }),
    ],
    "",
  );
  useEffect(() => {
    if (streamId === undefined) return;
    const link = member().connect();
    const viewers = link.live.subscribe(`viewers:${streamId}`);
    // Nothing of this topic is sent again after a gap.
    const ends = [viewers.on("subscribed", again), viewers.on("stream.updated", again)];
    return () => {
      for (const end of ends) end();
      link.close();
    };
  }, [streamId]);
  return read;
}
