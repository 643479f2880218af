import { ChevronLeft } from "lucide";
import { useState } from "preact/hooks";
import { BlockButton } from "../chat/block-button.tsx";
import { useAttempts } from "../chat/outcome.ts";
import { Avatar, nameOf } from "../components/avatar.tsx";
import { Icon } from "../components/icon.tsx";
import { Loaded } from "../components/loaded.tsx";
import { type Schemas, to } from "../site/page-data.ts";
import { useRead } from "../site/read.ts";
import { userId } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { hideConversation, loadConversations } from "./conversations.ts";
import { WhisperField } from "./whisper-field.tsx";
import { WhisperLines } from "./whisper-lines.tsx";

type Profile = Schemas["PublicProfile"];

/** The whispers with one user, and what one writes next. */
export function ConversationView({ username }: { username: string }) {
  const { whispers } = TEXTS;
  const profile = useRead("getPublicProfile", { path: { username } });
  return (
    <section class="conversation" aria-label={whispers.with(username)}>
      <Loaded read={profile} missing={<Nobody title={whispers.missing} hint={whispers.missingHint} />}>
        {(user) =>
          user.id === userId.value ? (
            <Nobody title={whispers.self} hint={whispers.selfHint} />
          ) : (
            <With key={user.id} user={user} />
          )
        }
      </Loaded>
    </section>
  );
}

function With({ user }: { user: Profile }) {
  const { whispers } = TEXTS;
  const standing = useRead("getMyStanding", { path: { username: user.username } });
  const name = nameOf(user);
  const isBlocked = standing.data?.is_blocking ?? false;
  const [isBlocking, setBlocking] = useState<boolean | null>(null);
  const { outcome, ...attempts } = useAttempts();
  const changed = (isNow: boolean): void => {
    setBlocking(isNow);
    if (isNow) hideConversation(user.id);
    else void loadConversations();
  };
  return (
    <>
      <header>
        <BackToList />
        <Avatar user={user} />
        <h1 dir="auto">
          <a href={to(user.username)}>{name}</a>
        </h1>
        {standing.data && (
          <BlockButton userId={user.id} name={name} isBlocking={isBlocked} {...attempts} onChange={changed} />
        )}
      </header>
      <p class={outcome?.isProblem ? "outcome fault" : "outcome"} role="status">
        {outcome?.text}
      </p>
      <WhisperLines user={user} />
      {(isBlocking ?? isBlocked) ? (
        <p class="barred">{whispers.blocked(name)}</p>
      ) : (
        <WhisperField userId={user.id} name={name} />
      )}
    </>
  );
}

const Nobody = ({ title, hint }: { title: string; hint: string }) => (
  <div class="empty">
    <h1>{title}</h1>
    <p>{hint}</p>
    <a class="button" href={to("/whispers")}>
      {TEXTS.whispers.back}
    </a>
  </div>
);

const BackToList = () => (
  <a class="back" href={to("/whispers")} aria-label={TEXTS.whispers.back}>
    <Icon of={ChevronLeft} />
  </a>
);
