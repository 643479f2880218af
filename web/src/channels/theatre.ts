import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Stage } from "../live/player/controls.tsx";

/** Theatre mode: player and chat fill the window, or with it the whole screen. Ends with full screen, or by Escape. */
export function useTheatre(): Stage {
  const [isTheatre, setTheatre] = useState(false);
  /** Noted by the request: the event of a screen that is left at once finds none. */
  const isWhole = useRef(false);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    document.addEventListener(
      "fullscreenchange",
      () => {
        if (!isWhole.current || document.fullscreenElement) return;
        isWhole.current = false;
        setTheatre(false);
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
      if (isWhole.current) void document.exitFullscreen().catch(() => undefined);
    };
  }, []);
  // Two presses within one frame come before the page is drawn again: each goes by what the one before it set.
  const requests = useMemo(
    () => ({
      onTheatre: () => setTheatre((before) => !before),
      onFullscreen: () => {
        if (isWhole.current) return void document.exitFullscreen().catch(() => undefined);
        isWhole.current = true;
        setTheatre(true);
        document.documentElement.requestFullscreen().catch(() => {
          // The browser doesn't allow it: theatre mode is as near as it gets.
          isWhole.current = false;
        });
      },
    }),
    [],
  );
  return useMemo(() => ({ isTheatre, ...requests }), [isTheatre]);
}
