import { type Signal, signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Broadcast } from "../live/player/audience.ts";
import type { Schemas } from "../site/page-data.ts";

/** What changes of a channel while one watches. */
export type BroadcastState = {
  isLive: Signal<boolean>;
  viewers: Signal<number>;
  /** When it went on the air, Unix ms; null while that isn't known, or it isn't live. */
  since: Signal<number | null>;
};

/** The broadcast of the channel whose page is open: newer than lists of channels. */
export const open = signal<({ streamId: string } & BroadcastState) | null>(null);

/** As it was when the page was made; the player says what it is now. */
export function useBroadcast(stream: Schemas["Stream"]): BroadcastState {
  const isLive = useSignal(stream.is_live);
  const viewers = useSignal(stream.realtime_viewer_count ?? 0);
  const since = useSignal<number | null>(null);
  useEffect(() => {
    open.value = { streamId: stream.id, isLive, viewers, since };
    return () => {
      open.value = null;
    };
  }, [stream.id]);
  return { isLive, viewers, since };
}

/** As the player says what has changed. */
export function update(state: BroadcastState, { isLive, viewers, since }: Partial<Broadcast>): void {
  if (typeof isLive === "boolean") state.isLive.value = isLive;
  if (viewers !== undefined) state.viewers.value = viewers;
  if (since !== undefined) state.since.value = since === null ? null : Date.parse(since);
}
