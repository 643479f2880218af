import { useLocation } from "preact-iso/router";
import { Avatar, nameOf } from "../components/avatar.tsx";
import { Loaded } from "../components/loaded.tsx";
import { StreamGrid } from "../components/stream-card.tsx";
import { ClipCard } from "../live/media-cards.tsx";
import { useTitle } from "../site/navigation.ts";
import { type Schemas, to } from "../site/page-data.ts";
import { useRead } from "../site/read.ts";
import { TEXTS } from "../texts/texts.ts";

/** What a search finds, by kind. */
export function Search() {
  const { search } = TEXTS;
  const query = (useLocation().query.q ?? "").trim();
  useTitle(query === "" ? search.title : search.results(query));
  const results = useRead("search", query === "" ? null : { query: { q: query } });
  return (
    <div class="page">
      <h1 dir="auto">{query === "" ? search.title : search.results(query)}</h1>
      {query === "" ? (
        <p class="quiet">{search.prompt}</p>
      ) : (
        <Loaded read={results}>{(found) => <Results {...found} query={query} />}</Loaded>
      )}
    </div>
  );
}

function Results({ streams, users, categories, clips, query }: Schemas["SearchResults"] & { query: string }) {
  const { search } = TEXTS;
  const live = streams.filter(({ is_live }) => is_live);
  // A channel that is offline is found by its broadcast's title as well.
  const channels = [...users, ...streams.filter(({ is_live }) => !is_live).map(({ user }) => user)];
  const people = [...new Map(channels.map((user) => [user.id, user])).values()];
  const isEmpty = [streams, users, categories, clips].every((kind) => kind.length === 0);
  if (isEmpty) return <p class="note">{search.none(query)}</p>;
  return (
    <>
      {live.length > 0 && (
        <section aria-label={search.live}>
          <h2>{search.live}</h2>
          <StreamGrid streams={live} />
        </section>
      )}
      {people.length > 0 && (
        <section aria-label={search.channels}>
          <h2>{search.channels}</h2>
          <ul class="people">
            {people.map((user) => (
              <li key={user.id}>
                <a href={to(user.username)}>
                  <Avatar user={user} />
                  <bdi>{nameOf(user)}</bdi>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {categories.length > 0 && (
        <section aria-label={search.categories}>
          <h2>{search.categories}</h2>
          <ul class="people">
            {categories.map(({ id, slug, name }) => (
              <li key={id}>
                <a href={to(`/categories/${slug}`)} dir="auto">
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {clips.length > 0 && (
        <section aria-label={search.clips}>
          <h2>{search.clips}</h2>
          <ul class="grid">
            {clips.map((clip) => (
              <ClipCard key={clip.id} clip={clip} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
