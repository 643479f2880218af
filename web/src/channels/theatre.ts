import { useEffect, useMemo, useState } from "preact/hooks";
import type { Stage } from "../live/player/controls.tsx";

/** Theatre mode: player and chat fill the window, or with it the whole screen. Ends with full screen, or by Escape. */
export function useTheatre(): Stage {
  const [isTheatre, setTheatre] = useState(false);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const isWhole = () => document.fullscreenElement === document.documentElement;
    let wasWhole = false;
    document.addEventListener(
      "fullscreenchange",
      () => {
        if (wasWhole && !document.fullscreenElement) setTheatre(false);
        wasWhole = isWhole();
      },
      { signal },
    );
    addEventListener(
      "keydown",
      ({ key, target, defaultPrevented }) => {
        // Escape ends what is above it first.
        const isElsewhere = target instanceof Element && target.closest("dialog, .chat, input, textarea");
        if (key === "Escape" && !defaultPrevented && !isElsewhere) setTheatre(false);
      },
      { signal },
    );
    return () => {
      ended.abort();
      if (isWhole()) void document.exitFullscreen().catch(() => undefined);
    };
  }, []);
  return useMemo(
    () => ({
      isTheatre,
      onTheatre: () => setTheatre(!isTheatre),
      onFullscreen: () => {
        const isWhole = document.fullscreenElement === document.documentElement;
        setTheatre(!isWhole);
        const change = isWhole ? document.exitFullscreen() : document.documentElement.requestFullscreen();
        // The browser doesn't allow it: theatre mode is as near as it gets.
        change.catch(() => undefined);
      },
    }),
    [isTheatre],
  );
}
