import type { components, Success } from "@livecore/client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Avatar, nameOf } from "../components/avatar.tsx";
import { Dialog } from "../components/dialog.tsx";
import { signInAddress } from "../components/sign-in-first.tsx";
import { formatDate, formatSaid } from "../formats/dates.ts";
import type { ReportTarget } from "../safety/report-dialog.tsx";
import { to } from "../site/page-data.ts";
import { useRead } from "../site/read.ts";
import { me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { BlockButton } from "./block-button.tsx";
import { MessageText } from "./message-view.tsx";
import { ModeratorActs } from "./moderator-acts.tsx";
import { useAttempts } from "./outcome.ts";
import type { Room } from "./room.ts";
import { WhisperForm } from "./whisper-form.tsx";
import "./user-card.css";

type ChatMessage = components["schemas"]["ChatMessage"];

export type FollowOf = (user: components["schemas"]["PublicProfile"]) => ComponentChildren;
type Props = {
  room: Room;
  /** By whose author's name it was opened. */
  message: ChatMessage;
  /** Also for screens that can't point at a line, which then shows its button. */
  onReply: (message: ChatMessage) => void;
  /** The button to follow a user. */
  followOf: FollowOf;
  onReport: (target: ReportTarget) => void;
  onClose: () => void;
};

const SHOWN_MESSAGES = 10;

/** Who writes in a chat, what they have written there, and what one may do about it. */
export function UserCard({ room, message, onReply, followOf, onReport, onClose }: Props) {
  const { user_id: id, username } = message;
  const { userCard } = TEXTS;
  const profile = useRead("getPublicProfile", { path: { username } });
  const card = useRead("getChatUser", { path: { stream_id: room.streamId, user_id: id } });
  const [isWhispering, whisper] = useState(false);
  const { outcome, ...attempts } = useAttempts();
  const isSelf = me.value?.id === id;
  const isDeleted = room.lines.isDeleted(message.uuid);
  const worn = card.data?.badges ?? message.badges;
  const badges = worn.flatMap((badge) => room.facts.badges.get(badge) ?? []);
  const said = [...(card.data?.messages ?? []), ...room.lines.of(id, SHOWN_MESSAGES)];
  const name = profile.data ? nameOf(profile.data) : username;
  return (
    <Dialog title={userCard.title(username)} kind="user-card" isLightDismissed onClose={onClose}>
      <header>
        <Avatar user={profile.data ?? { username, username_title: null, image_url: null }} isLarge />
        <div>
          <h2 dir="auto">
            <a href={to(username)}>{name}</a>
          </h2>
          {profile.data && <p class="quiet">{TEXTS.followers(profile.data.follower_count)}</p>}
          {card.data && <Follow user={card.data} />}
          {badges.length > 0 && (
            <p class="worn">
              {badges.map((badge) => (
                <span key={badge.id}>
                  <img src={badge.image_url} alt="" width="18" height="18" /> {badge.name}
                </span>
              ))}
            </p>
          )}
        </div>
      </header>
      {!isSelf && (
        <div class="choices">
          {profile.data && followOf(profile.data)}
          {me.value ? (
            <button
              type="button"
              class="button quiet"
              aria-expanded={isWhispering}
              onClick={() => whisper(!isWhispering)}
            >
              {userCard.whisper}
            </button>
          ) : (
            <a class="button quiet" href={signInAddress()}>
              {userCard.whisper}
            </a>
          )}
          {me.value && card.data && (
            <BlockButton userId={id} name={name} isBlocking={card.data.is_blocking} {...attempts} />
          )}
          {room.lines.message(message.uuid) && (
            <button type="button" class="button quiet" onClick={() => onReply(message)}>
              {userCard.reply}
            </button>
          )}
          <button
            type="button"
            class="button quiet"
            onClick={() => onReport({ type: "user", id, name: username })}
          >
            {userCard.report}
          </button>
          {!isDeleted && (
            <button
              type="button"
              class="button quiet"
              onClick={() => onReport({ type: "chat_message", id: message.uuid, name: username })}
            >
              {userCard.reportMessage}
            </button>
          )}
        </div>
      )}
      {isWhispering && (
        <WhisperForm
          userId={id}
          username={username}
          name={name}
          {...attempts}
          onSent={() => whisper(false)}
        />
      )}
      {room.isModerated && (
        <ModeratorActs room={room} message={message} isDeleted={isDeleted} isSelf={isSelf} {...attempts} />
      )}
      <p class={outcome?.isProblem ? "outcome fault" : "outcome"} role="status">
        {outcome?.text}
      </p>
      <Recent messages={newestOf(said.filter(({ uuid }) => !room.lines.isDeleted(uuid)))} />
    </Dialog>
  );
}

function Follow({ user: { role, followed_at } }: { user: Success<"getChatUser"> }) {
  const { userCard } = TEXTS;
  if (role === "owner") return null;
  const since = followed_at === null ? null : formatDate(followed_at);
  return <p class="quiet">{since === null ? userCard.followsNot : userCard.follows(since)}</p>;
}

/** Each once: the service's may be some seconds behind what was seen here. */
function newestOf(messages: readonly ChatMessage[]): ChatMessage[] {
  const byId = new Map(messages.map((message) => [message.uuid, message]));
  return [...byId.values()].toSorted((a, b) => a.timestamp - b.timestamp).slice(-SHOWN_MESSAGES);
}

function Recent({ messages }: { messages: readonly ChatMessage[] }) {
  const { userCard } = TEXTS;
  return (
    <section class="recent">
      <h3>{userCard.recent}</h3>
      {messages.length === 0 && <p class="quiet">{userCard.noRecent}</p>}
      <ul>
        {messages.map((message) => (
          <li key={message.uuid}>
            <time class="quiet" dateTime={message.created_at}>
              {formatSaid(message.created_at)}
            </time>{" "}
            <MessageText message={message} />
          </li>
        ))}
      </ul>
    </section>
  );
}
