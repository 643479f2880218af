import { SignInFirst } from "../components/sign-in-first.tsx";
import { useTitle } from "../site/navigation.ts";
import { TEXTS } from "../texts/texts.ts";
import { ConversationList } from "./conversation-list.tsx";
import { ConversationView } from "./conversation-view.tsx";
import "./whispers.css";

/** Private messages: the list of conversations beside the one that is open. On a phone it is one or the other. */
export function Whispers({ username = null }: { username?: string | null }) {
  const { whispers } = TEXTS;
  useTitle(username === null ? whispers.title : whispers.with(username));
  return (
    <SignInFirst title={whispers.title} why={whispers.signIn}>
      <div class="whispers" data-open={username !== null}>
        <ConversationList open={username} />
        {username === null ? (
          <p class="none-open quiet">{whispers.choose}</p>
        ) : (
          <ConversationView key={username} username={username} />
        )}
      </div>
    </SignInFirst>
  );
}
