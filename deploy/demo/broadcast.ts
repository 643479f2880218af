import { BROADCAST_GRACE_MS } from "../../actors/live-stream/machine.ts";
import { type Creator, stepUp } from "./cast.ts";
import { type Stage, until } from "./stage.ts";

type Backstage = Pick<Stage, "visitor" | "publishing" | "progress" | "pass">;

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
  await stage.publishing.begin(creator);
  await untilLive(stage, creator, true, 30_000);
}

/** The publisher disconnects; the broadcast ends after its grace period. */
export async function goOffline(stage: Backstage, creator: Creator): Promise<void> {
  await stage.publishing.end(creator);
  await untilLive(stage, creator, false, BROADCAST_GRACE_MS + 15_000);
}

/** The publisher's key isn't valid any more, so the broadcast ends at once. */
export async function endByNewKey(stage: Backstage, creator: Creator): Promise<void> {
  await stepUp(creator);
  await creator.client.call("rotateStreamKey");
  await untilLive(stage, creator, false, 10_000);
}
