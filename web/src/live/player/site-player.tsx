import workerPath from "hls.js/dist/hls.worker.js?url";
import { useState } from "preact/hooks";
import { keepSound, keptSound } from "./kept-sound.ts";
import { Player, type PlayerProps } from "./player.tsx";
import "./player.css";

type TrustedTypes = {
  createPolicy(name: "default", rules: { createScriptURL: (url: string) => string }): unknown;
};

/**
 * The pages' policy lets no text become script. The player's worker is the one exception: its address is known, and nothing else is let
 * through.
 */
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
trustedTypes?.createPolicy("default", {
  createScriptURL(url) {
    if (new URL(url, location.href).href === new URL(workerPath, location.href).href) return url;
    throw new TypeError("This page loads no script from there.");
  },
});

type Props = Omit<PlayerProps, "isMuted" | "volume" | "onSound">;

/** The player within the site's pages. It begins as loud as the last one was. */
export function SitePlayer(props: Props) {
  const [sound] = useState(keptSound);
  return <Player {...props} {...sound} onSound={keepSound} />;
}
