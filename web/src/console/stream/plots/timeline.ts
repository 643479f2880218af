import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useRead } from "../../../site/read.ts";
import { serverNow } from "../../../site/service-clock.ts";
import { useRoomTopic, whenRoomMissed } from "../../room-topic.ts";
import { SinceRead } from "./since-read.ts";

/** How often a busy room is drawn. */
const DRAWN_EVERY_MS = 1_000;
/** A minute begins without an event. */
const TICK_MS = 5_000;
/** So many points the service gives; a timeline that has grown longer is read again, with fewer. */
const MOST_POINTS = 1_500;

/**
 * The running broadcast minute by minute, or the last one: read once, and then as the room says. Read again where something was missed, and
 * when a broadcast begins or ends.
 */
export function useTimeline(streamId: string) {
  const read = useRead("getStreamTimeline", { path: { stream_id: streamId } });
  const { data, again } = read;
  const since = useMemo(() => new SinceRead(data), [data]);
  const current = useRef(since);
  current.current = since;
  /** The last count; null before there is one. */
  const viewers = useRef<number | null>(null);
  const [, setDrawn] = useState(0);
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const draw = (): void => {
    waiting.current ??= setTimeout(() => {
      waiting.current = undefined;
      setDrawn((before) => before + 1);
    }, DRAWN_EVERY_MS);
  };
  const add = (at: number, counts: Parameters<SinceRead["add"]>[1]): void => {
    current.current.add(at, counts);
    draw();
  };
  const viewersAre = (count: number | undefined): void => {
    viewers.current = count ?? viewers.current;
    if (viewers.current === null) return;
    current.current.viewersAre(serverNow(), viewers.current);
    draw();
  };

  useRoomTopic(streamId, (room, viewersOf) => {
    const audience = viewersOf();
    return [
      ...whenRoomMissed(room, again),
      room.on("stream.live", again),
      room.on("stream.offline", again),
      room.on("chat.message", ({ data }) => add(data.timestamp, { messages: 1 })),
      room.on("channel.followed", () => add(serverNow(), { follows: 1 })),
      room.on("subscription.started", () => add(serverNow(), { subscriptions: 1 })),
      room.on("subscription.gifted", () => add(serverNow(), { subscriptions: 1 })),
      room.on("tip.received", ({ data }) => add(serverNow(), { tip_cents: data.amount_cents })),
      audience.on("subscribed", ({ data: { state } }) => viewersAre(state.viewer_count)),
      audience.on("viewers.count", ({ data }) => viewersAre(data.viewer_count)),
    ];
  });
  useEffect(() => {
    const timer = setInterval(() => viewersAre(undefined), TICK_MS);
    return () => {
      clearInterval(timer);
      clearTimeout(waiting.current);
      waiting.current = undefined;
    };
  }, [streamId]);

  const timeline = since.upTo(serverNow());
  const isTooLong = (timeline?.points.length ?? 0) > MOST_POINTS;
  useEffect(() => {
    if (isTooLong) again();
  }, [isTooLong]);
  return { ...read, data: timeline };
}
