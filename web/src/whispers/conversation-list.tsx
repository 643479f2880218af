import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Avatar } from "../components/avatar.tsx";
import { useOneAtATime } from "../components/one-at-a-time.ts";
import { formatRecent } from "../formats/dates.ts";
import { to } from "../site/page-data.ts";
import { problemOf } from "../site/problems.ts";
import { serverNow } from "../site/service-clock.ts";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";
import {
  type Conversation,
  conversations,
  loadConversations,
  loadOlderConversations,
  problem,
} from "./conversations.ts";

const LONGEST_NAME = 25;

/** With whom the user has whispered, and a way to somebody new. */
export function ConversationList({ open }: { open: string | null }) {
  const { whispers } = TEXTS;
  // The page is about the conversation, where one is open.
  const Heading = open === null ? "h1" : "h2";
  useEffect(() => {
    if (conversations.peek() === null) void loadConversations();
  }, []);
  return (
    <section class="list" aria-labelledby="conversations">
      <Heading id="conversations">{whispers.title}</Heading>
      <Start />
      <Listed open={open} />
    </section>
  );
}

function Listed({ open }: { open: string | null }) {
  const { whispers } = TEXTS;
  const shown = conversations.value;
  const { isBusy: isLoading, run } = useOneAtATime();
  if (!shown) {
    if (problem.value === null) return <p class="note">{TEXTS.loading}</p>;
    return (
      <div class="problem" role="alert">
        <p>{problem.value}</p>
        <button type="button" class="button" onClick={() => void loadConversations()}>
          {TEXTS.tryAgain}
        </button>
      </div>
    );
  }
  const more = (): Promise<void> =>
    loadOlderConversations().catch((err: unknown) => say(problemOf(err), { isProblem: true }));
  if (shown.items.length === 0 && shown.before === null)
    return (
      <div class="none">
        <p>{whispers.none}</p>
        <p class="quiet">{whispers.noneHint}</p>
      </div>
    );
  return (
    <>
      <ul aria-label={whispers.list}>
        {shown.items.map((conversation) => (
          <Row key={conversation.user_id} of={conversation} isOpen={conversation.username === open} />
        ))}
      </ul>
      {shown.before !== null && (
        <button
          type="button"
          class="button quiet wide"
          aria-disabled={isLoading}
          onClick={() => void run(more)}
        >
          {isLoading ? TEXTS.loading : TEXTS.more}
        </button>
      )}
    </>
  );
}

function Row({ of, isOpen }: { of: Conversation; isOpen: boolean }) {
  const { username, avatar_url: image_url = null, last_message: last, unread_count: unread } = of;
  return (
    <li>
      <a
        href={to(`/whispers/${username}`)}
        aria-current={isOpen ? "page" : undefined}
        data-unread={unread > 0}
      >
        <Avatar user={{ username, username_title: null, image_url }} />
        <span class="names">
          <bdi>{username}</bdi>
          <span class="quiet" dir="auto">
            {last.content}
          </span>
        </span>
        <span class="when">
          <time class="quiet" dateTime={last.timestamp}>
            {formatRecent(last.timestamp, serverNow())}
          </time>
          {unread > 0 && (
            <span class="count">
              <span aria-hidden="true">{unread > 99 ? "99+" : unread}</span>
              <span class="aloud">{TEXTS.whispers.unreadOf(unread)}</span>
            </span>
          )}
        </span>
      </a>
    </li>
  );
}

/** Opens the conversation with a user by name; its page says if there is none of that name. */
function Start() {
  const { whispers } = TEXTS;
  const { route } = useLocation();
  const [name, setName] = useState("");
  const start = (event: Event): void => {
    event.preventDefault();
    const wanted = name.trim().replace(/^@/, "").toLowerCase();
    if (wanted === "") return;
    setName("");
    route(to(`/whispers/${encodeURIComponent(wanted)}`));
  };
  return (
    <form class="start" onSubmit={start}>
      <input
        name="username"
        aria-label={whispers.start}
        placeholder={whispers.startHint}
        maxLength={LONGEST_NAME + 1}
        autoComplete="off"
        autoCapitalize="none"
        spellcheck={false}
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <button type="submit" class="button">
        {whispers.open}
      </button>
    </form>
  );
}
