import { type Creator, nginxRtmpFields, stepUp } from "./cast.ts";
import { type Stage, until } from "./stage.ts";

const GRACE_MS = 90_000;

type Backstage = Pick<Stage, "visitor" | "systemKey" | "progress" | "pass">;

async function hook({ visitor, systemKey }: Backstage, creator: Creator, isPublishing: boolean) {
  const headers = { "x-system-key": systemKey };
  const fields = nginxRtmpFields(creator);
  if (isPublishing) await visitor.call("ingestPublish", { headers, body: { ...fields, call: "publish" } });
  else await visitor.call("ingestPublishDone", { headers, body: { ...fields, call: "publish_done" } });
}

async function untilLive(stage: Backstage, { streamId }: Creator, isLive: boolean, withinMs: number) {
  const state = isLive ? "live" : "offline";
  await until(
    stage,
    async (leftMs) => {
      const stream = await stage.visitor.call("getStream", { path: { stream_id: streamId } });
      if (stream.is_live === isLive) return stream;
      stage.progress.show(
        `waiting for the stream to go ${state}: ${Math.max(0, Math.ceil(leftMs / 1_000))} s at most`,
      );
      return null;
    },
    { withinMs, everyMs: 500, late: () => `The stream did not go ${state} in time.` },
  );
}

export async function goLive(stage: Backstage, creator: Creator): Promise<void> {
  await hook(stage, creator, true);
  await untilLive(stage, creator, true, 20_000);
}

/** The publisher goes away; the broadcast ends after its grace. */
export async function goOffline(stage: Backstage, creator: Creator): Promise<void> {
  await hook(stage, creator, false);
  await untilLive(stage, creator, false, GRACE_MS + 15_000);
}

/** Without its key the publisher is nobody, so the broadcast ends at once. */
export async function endByNewKey(stage: Backstage, creator: Creator): Promise<void> {
  await stepUp(creator);
  await creator.client.call("rotateStreamKey");
  await untilLive(stage, creator, false, 10_000);
}
