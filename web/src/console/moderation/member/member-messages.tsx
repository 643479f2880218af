import { Trash2 } from "lucide";
import { useRef } from "preact/hooks";
import { MessageText } from "../../../chat/message-view.tsx";
import type { Attempt } from "../../../chat/outcome.ts";
import { Icon } from "../../../components/icon.tsx";
import { Loaded } from "../../../components/loaded.tsx";
import { formatMoment, formatSaid } from "../../../formats/dates.ts";
import { useNewestFirst } from "../../../site/newest-first.ts";
import { More } from "../../../site/paged.tsx";
import { client } from "../../../site/session.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { useKeptFocus } from "../../kept-focus.ts";
import { useReadSoon } from "../../read-soon.ts";
import { useRoomTopic, whenRoomMissed } from "../../room-topic.ts";
import { type Target, useDesk } from "../desk.ts";

type Props = { user: Target; isBusy: boolean; attempt: Attempt };

/** What a user wrote in this room, newest first, as far back as there is any. */
export function MemberMessages({ user, isBusy, attempt }: Props) {
  const texts = CONSOLE_TEXTS.moderation.card;
  const { streamId } = useDesk();
  const path = { stream_id: streamId, user_id: user.id };
  const messages = useNewestFirst("listMemberMessages", { path }, ({ uuid }) => uuid);
  const { first, items, change } = messages;
  const again = useReadSoon(first.again);
  const section = useRef<HTMLElement>(null);
  useKeptFocus(section);
  const markDeleted = (uuid: string): void =>
    change((before) =>
      before.map((one) => (one.uuid === uuid ? { ...one, content: "", is_deleted: true } : one)),
    );
  const remove = async (uuid: string): Promise<void> => {
    const at = { path: { stream_id: streamId, uuid } };
    if (await attempt(() => client.call("deleteChatMessage", at), TEXTS.userCard.deleted)) markDeleted(uuid);
  };
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
    <section ref={section}>
      <h3>{texts.messages}</h3>
      <Loaded read={first}>
        {() =>
          items.length === 0 ? (
            <p class="quiet">{TEXTS.userCard.noRecent}</p>
          ) : (
            <>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by the keyboard */}
              <section class="said" tabIndex={0} aria-label={texts.messages}>
                <ul>
                  {items.map((message) => (
                    <li key={message.uuid}>
                      <time
                        class="quiet"
                        dateTime={message.created_at}
                        title={formatMoment(message.created_at)}
                      >
                        {formatSaid(message.created_at)}
                      </time>{" "}
                      {message.is_deleted ? (
                        <i class="quiet">{TEXTS.chat.deleted}</i>
                      ) : (
                        <>
                          <MessageText message={message} />
                          <button
                            type="button"
                            class="delete"
                            aria-label={texts.deleteMessage}
                            title={texts.deleteMessage}
                            aria-disabled={isBusy}
                            onClick={() => void remove(message.uuid)}
                          >
                            <Icon of={Trash2} />
                          </button>
                        </>
                      )}
                    </li>
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
