import type { Signal } from "@preact/signals";
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { MessageText } from "../../chat/message-view.tsx";
import { formatClock } from "../../formats/clock.ts";
import { hueOf } from "../../formats/hue.ts";
import { TEXTS } from "../../texts/texts.ts";
import { Replay } from "./replay.ts";
import "../../chat/lines.css";

/** A distance to the end below this counts as being at the end. */
const AT_END_PX = 40;

/** The chat as it was at the second that the video shows. */
export function ChatReplay({ videoId, position }: { videoId: string; position: Signal<number> }) {
  const [replay] = useState(() => new Replay(videoId));
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => () => replay.close(), []);
  useSignalEffect(() => replay.show(position.value));
  const lines = replay.lines.value;
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const distance = element.scrollHeight - element.scrollTop - element.clientHeight;
    const isAtEnd = distance < AT_END_PX + (element.lastElementChild?.clientHeight ?? 0);
    if (isAtEnd) element.scrollTop = element.scrollHeight;
  }, [lines]);
  const { videos, tryAgain } = TEXTS;
  return (
    <section class="replay" aria-label={videos.chat}>
      <h2>{videos.chat}</h2>
      {replay.hasFailed.value && (
        <p class="fault" role="alert">
          {videos.chatFailed}{" "}
          <button type="button" class="button quiet" onClick={() => replay.again()}>
            {tryAgain}
          </button>
        </p>
      )}
      {lines.length === 0 && !replay.hasFailed.value && <p class="note">{videos.noChat}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by the keyboard */}
      <ol ref={list} tabIndex={0} aria-label={videos.chat}>
        {lines.map(({ offset_seconds, message }) => (
          <li key={message.uuid} class="line">
            <time class="quiet">{formatClock(offset_seconds * 1_000)}</time>{" "}
            <b class="author" style={{ "--hue": hueOf(message.username) }}>
              {message.username}
            </b>
            {": "}
            <MessageText message={message} />
          </li>
        ))}
      </ol>
    </section>
  );
}
