import workerPath from "hls.js/dist/hls.worker.js?url";
import { useState } from "preact/hooks";
import { trustWorker } from "../../site/trusted-worker.ts";
import { keepSound, keptSound } from "./kept-sound.ts";
import { Player, type PlayerProps } from "./player.tsx";

trustWorker(workerPath);

type Props = Omit<PlayerProps, "isMuted" | "volume" | "onSound" | "isLossSaid">;

/** The player within the site's pages. It begins as loud as the last one was. */
export function SitePlayer(props: Props) {
  const [sound] = useState(keptSound);
  return <Player {...props} {...sound} isLossSaid onSound={keepSound} />;
}
