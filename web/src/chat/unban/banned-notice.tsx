import type { Success } from "@livecore/client";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useTimeLeft } from "../../components/countdown.tsx";
import { formatMoment } from "../../formats/dates.ts";
import { type Read, useRead } from "../../site/read.ts";
import { useUserTopic, whenMissed } from "../../site/user-topic.ts";
import { TEXTS } from "../../texts/texts.ts";
import { UnbanRequestDialog } from "./unban-request-dialog.tsx";
import "./banned-notice.css";

type Props = { streamId: string; channelName: string };
type Requests = Success<"listMyUnbanRequests">;

/** In place of the composer: the reader is banned from this chat, and what they can do about it. */
export function BannedNotice({ streamId, channelName }: Props) {
  const { unbanRequest } = TEXTS;
  const room = useRead("getChatRoom", { path: { stream_id: streamId } });
  const own = useRead("listMyUnbanRequests", { query: { stream_id: streamId, per_page: 1 } });
  const [isOpen, open] = useState(false);
  useUserTopic(
    (topic) => [
      topic.on("unban_request.updated", ({ data }) => {
        if (data.stream_id !== streamId) return;
        own.change((before) => withNewest(before, data));
        // An answer that is under way may be older.
        own.again();
      }),
      ...whenMissed(topic, own.again),
    ],
    streamId,
  );
  const whole = useRef<HTMLElement>(null);
  // The button that opened the dialog is gone once a request waits.
  useLayoutEffect(() => {
    if (!isOpen && document.activeElement === document.body && own.data?.items[0]) whole.current?.focus();
  }, [isOpen]);
  const reason = room.data?.restriction?.reason ?? null;
  return (
    <>
      <section ref={whole} class="composer banned-notice" tabIndex={-1}>
        <p>
          <strong>{unbanRequest.banned(channelName)}</strong>
        </p>
        {reason !== null && (
          <p class="quiet">
            {unbanRequest.reason}: <bdi dir="auto">{reason}</bdi>
          </p>
        )}
        <Request own={own} isOff={room.data?.unban_requests === false} onOpen={() => open(true)} />
      </section>
      {isOpen && (
        <UnbanRequestDialog
          streamId={streamId}
          channelName={channelName}
          onSent={(sent) => own.change((before) => withNewest(before, sent))}
          onClose={() => open(false)}
        />
      )}
    </>
  );
}

type RequestProps = { own: Read<Requests>; isOff: boolean; onOpen: () => void };

/** The last request and its answer, or the button for the next one. */
function Request({ own, isOff, onOpen }: RequestProps) {
  const { unbanRequest } = TEXTS;
  const last = own.data?.items[0];
  const waitsUntil = last?.retry_at ? Date.parse(last.retry_at) : null;
  const isWaiting = useTimeLeft(waitsUntil) > 0;
  if (own.data === undefined) {
    return own.problem === null ? null : (
      <>
        <p role="alert">{own.problem}</p>
        <button type="button" onClick={own.again}>
          {TEXTS.tryAgain}
        </button>
      </>
    );
  }
  if (last?.status === "pending")
    return <p role="status">{unbanRequest.pending(formatMoment(last.created_at))}</p>;
  return (
    <>
      {isWaiting && last?.retry_at && (
        <p role="status">
          {unbanRequest.denied} {unbanRequest.retryFrom(formatMoment(last.retry_at))}
        </p>
      )}
      {last?.status === "denied" && last.note !== null && (
        <p class="quiet">
          {unbanRequest.note}: <bdi dir="auto">{last.note}</bdi>
        </p>
      )}
      {isOff && <p class="quiet">{unbanRequest.off}</p>}
      {!isOff && !isWaiting && (
        <button type="button" class="wide" onClick={onOpen}>
          {unbanRequest.open}
        </button>
      )}
    </>
  );
}

/** Events and answers come in any order: an older one doesn't replace a newer one. */
function withNewest(page: Requests, next: Requests["items"][number]): Requests {
  const [shown] = page.items;
  const isOlder = shown !== undefined && shown.id > next.id;
  const isStale = shown?.id === next.id && shown.status !== "pending";
  return isOlder || isStale ? page : { ...page, items: [next] };
}
