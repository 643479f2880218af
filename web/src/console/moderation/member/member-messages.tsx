import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Loaded } from "../../../components/loaded.tsx";
import { useNewestFirst } from "../../../site/newest-first.ts";
import { More } from "../../../site/paged.tsx";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { useKeptFocus } from "../../kept-focus.ts";
import { useReadSoon } from "../../read-soon.ts";
import { useRoomTopic, whenRoomMissed } from "../../room-topic.ts";
import { type Target, useDesk } from "../desk.ts";
import { useInHand } from "../in-hand.ts";
import { SaidRow } from "./said-row.tsx";

type Props = { user: Target; report: (text: string, isProblem?: boolean) => void };

/** What a user wrote in this room, newest first, as far back as there is any. What comes while it is in hand waits above it. */
export function MemberMessages({ user, report }: Props) {
  const texts = CONSOLE_TEXTS.moderation.card;
  const { streamId } = useDesk();
  const path = { stream_id: streamId, user_id: user.id };
  const messages = useNewestFirst("listMemberMessages", { path }, ({ uuid }) => uuid);
  const { first, items, change } = messages;
  const again = useReadSoon(first.again);
  const section = useRef<HTMLElement>(null);
  useKeptFocus(section);
  const { isPointedAt, hasFocus, handlers } = useInHand(section);
  /** The newest one that is shown while the list is in hand. */
  const [top, setTop] = useState<string | null>(null);
  const newest = items[0]?.uuid ?? null;
  const place = items.findIndex(({ uuid }) => uuid === top);
  const isInHand = (isPointedAt || hasFocus) && place !== -1;
  const waiting = isInHand ? place : 0;
  useLayoutEffect(() => {
    if (!isInHand) setTop(newest);
  }, [isInHand, newest]);
  const markDeleted = (uuid: string): void =>
    change((before) =>
      before.map((one) => (one.uuid === uuid ? { ...one, content: "", is_deleted: true } : one)),
    );
  useRoomTopic(streamId, (room) => [
    ...whenRoomMissed(room, first.again),
    // The archive has it some seconds later.
    room.on("chat.message", ({ data }) => {
      if (data.user_id === user.id) change((before) => [data, ...before]);
    }),
    room.on("chat.message_deleted", ({ data }) => markDeleted(data.uuid)),
    room.on("chat.user_banned", ({ data }) => data.user_id === user.id && again()),
    room.on("chat.user_timed_out", ({ data }) => data.user_id === user.id && again()),
  ]);
  return (
    <section ref={section} {...handlers}>
      <div class="heading">
        <h3>{texts.messages}</h3>
        {waiting > 0 && (
          <button type="button" class="link" onClick={() => setTop(newest)}>
            {TEXTS.chat.newOnes(waiting)}
          </button>
        )}
      </div>
      <Loaded read={first}>
        {() =>
          items.length === 0 ? (
            <p class="quiet">{TEXTS.userCard.noRecent}</p>
          ) : (
            <>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by the keyboard */}
              <section class="said" tabIndex={0} aria-label={texts.messages}>
                <ul>
                  {items.slice(waiting).map((message) => (
                    <SaidRow
                      key={message.uuid}
                      message={message}
                      report={report}
                      onDeleted={() => markDeleted(message.uuid)}
                    />
                  ))}
                </ul>
                <More pages={messages} />
              </section>
            </>
          )
        }
      </Loaded>
    </section>
  );
}
