import workerPath from "hls.js/dist/hls.worker.js?url";
import { Player } from "../../../live/player/player.tsx";
import "../../../live/player/player.css";
import { member } from "../../../site/live.ts";
import { trustWorker } from "../../../site/trusted-worker.ts";

trustWorker(workerPath);

/** One's own broadcast as viewers get it: without its sound, which the creator has already, and not counted as a viewer. */
export function Preview({ streamId, channelName }: { streamId: string; channelName: string }) {
  return (
    <Player
      member={member()}
      streamId={streamId}
      channelName={channelName}
      isAutomatic
      isMuted
      isCounted={false}
      isLossSaid
    />
  );
}
