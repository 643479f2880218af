import { MessageText } from "../../../chat/message-view.tsx";
import { Loaded } from "../../../components/loaded.tsx";
import { formatMoment, formatSaid } from "../../../formats/dates.ts";
import { useNewestFirst } from "../../../site/newest-first.ts";
import { More } from "../../../site/paged.tsx";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { useReadSoon } from "../../read-soon.ts";
import { useRoomTopic, whenRoomMissed } from "../../room-topic.ts";
import { type Target, useDesk } from "../desk.ts";

/** What a user wrote in this room, newest first, as far back as there is any. */
export function MemberMessages({ user }: { user: Target }) {
  const texts = CONSOLE_TEXTS.moderation.card;
  const { streamId } = useDesk();
  const path = { stream_id: streamId, user_id: user.id };
  const messages = useNewestFirst("listMemberMessages", { path }, ({ uuid }) => uuid);
  const { first, items, change } = messages;
  const again = useReadSoon(first.again);
  useRoomTopic(streamId, (room) => [
    ...whenRoomMissed(room, first.again),
    // The archive has it some seconds later.
    room.on("chat.message", ({ data }) => {
      if (data.user_id === user.id) change((before) => [data, ...before]);
    }),
    room.on("chat.message_deleted", ({ data }) =>
      change((before) =>
        before.map((one) => (one.uuid === data.uuid ? { ...one, content: "", is_deleted: true } : one)),
      ),
    ),
    room.on("chat.user_banned", ({ data }) => data.user_id === user.id && again()),
    room.on("chat.user_timed_out", ({ data }) => data.user_id === user.id && again()),
  ]);
  return (
    <section>
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
                        <MessageText message={message} />
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
