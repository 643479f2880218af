import { SignInFirst } from "../components/sign-in-first.tsx";
import { useTitle } from "../site/navigation.ts";
import { TEXTS } from "../texts/texts.ts";
import { Entries } from "./entries.tsx";
import { useNotifications } from "./list.ts";
import { ListHeading } from "./list-heading.tsx";
import "./notifications.css";

/** What happened to the reader, the newest first. */
export function Notifications() {
  const { notifications } = TEXTS;
  useTitle(notifications.title);
  return (
    <SignInFirst title={notifications.title} why={notifications.signIn}>
      <Page />
    </SignInFirst>
  );
}

function Page() {
  const list = useNotifications();
  const { hasMore, isLoading, problem, more } = list;
  return (
    <div class="page notifications">
      <ListHeading list={list} level="h1" />
      <Entries list={list} />
      {hasMore && (
        <div class="more">
          {problem !== null && <p role="alert">{problem}</p>}
          <button type="button" class="button quiet" aria-busy={isLoading} onClick={more}>
            {isLoading ? TEXTS.loading : TEXTS.notifications.more}
          </button>
        </div>
      )}
    </div>
  );
}
