import { Loaded } from "../components/loaded.tsx";
import { SignInFirst } from "../components/sign-in-first.tsx";
import { GridSkeleton, StreamGrid } from "../components/stream-card.tsx";
import { useTitle } from "../site/navigation.ts";
import { More, usePaged } from "../site/paged.tsx";
import { TEXTS } from "../texts/texts.ts";

/** The channels that the reader follows, live ones first. */
export function Following() {
  const { following } = TEXTS;
  useTitle(following.title);
  return (
    <SignInFirst title={following.title} why={following.signIn}>
      <List />
    </SignInFirst>
  );
}

function List() {
  const { following } = TEXTS;
  const pages = usePaged("listFollowedStreams", {});
  return (
    <div class="page">
      <h1>{following.title}</h1>
      <Loaded read={pages.first} skeleton={<GridSkeleton />}>
        {() =>
          pages.items.length === 0 ? (
            <div class="empty">
              <p>{following.empty}</p>
              <p class="quiet">{following.emptyHint}</p>
            </div>
          ) : (
            <StreamGrid streams={pages.items} />
          )
        }
      </Loaded>
      <More pages={pages} />
    </div>
  );
}
