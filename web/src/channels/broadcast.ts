import { type Signal, useSignal } from "@preact/signals";
import type { Schemas } from "../site/page-data.ts";

/** What changes of a channel while one watches. */
export type BroadcastState = {
  isLive: Signal<boolean>;
  viewers: Signal<number>;
};

/** As it was when the page was made; the player says what it is now. */
export function useBroadcast(stream: Schemas["Stream"]): BroadcastState {
  const isLive = useSignal(stream.is_live);
  const viewers = useSignal(stream.realtime_viewer_count ?? 0);
  return { isLive, viewers };
}
