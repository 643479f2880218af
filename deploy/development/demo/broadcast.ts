import { BROADCAST_GRACE_MS } from "../../../actors/live/live-stream/machine.ts";
import { type Creator, stepUp } from "./cast.ts";
import { type Stage, until } from "./stage.ts";

type Backstage = Pick<Stage, "visitor" | "publishing" | "progress" | "pass">;

async function untilLive(
  stage: Backstage,
  { streamId }: Creator,
  { isLive, withinMs, waitingFor }: { isLive: boolean; withinMs: number; waitingFor: string },
) {
  const state = isLive ? "live" : "offline";
  await until(
    stage,
    async () => {
      const stream = await stage.visitor.call("getStream", { path: { stream_id: streamId } });
      return stream.is_live === isLive ? stream : null;
    },
    { waitingFor, withinMs, everyMs: 500, late: () => `The stream did not go ${state} in time.` },
  );
}

export async function goLive(stage: Backstage, creator: Creator): Promise<void> {
  await stage.publishing.begin(creator);
  await untilLive(stage, creator, {
    isLive: true,
    withinMs: 30_000,
    waitingFor: "the stream to go live, some seconds after its publisher came",
  });
}

/** The publisher disconnects; the broadcast ends after its grace period. */
export async function goOffline(stage: Backstage, creator: Creator): Promise<void> {
  await stage.publishing.end(creator);
  await untilLive(stage, creator, {
    isLive: false,
    withinMs: BROADCAST_GRACE_MS + 15_000,
    waitingFor: `the broadcast to end: a publisher has ${BROADCAST_GRACE_MS / 1_000} s to come back`,
  });
}

/** The publisher's key isn't valid any more, so the broadcast ends at once. */
export async function endByNewKey(stage: Backstage, creator: Creator): Promise<void> {
  await stepUp(creator);
  await creator.client.call("rotateStreamKey");
  await untilLive(stage, creator, {
    isLive: false,
    withinMs: 10_000,
    waitingFor: "the broadcast to end: its stream key was replaced",
  });
}
