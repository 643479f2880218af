import { Loaded } from "../components/loaded.tsx";
import { GridSkeleton, StreamGrid } from "../components/stream-card.tsx";
import { useTitle } from "../site/navigation.ts";
import { type Schemas, to } from "../site/page-data.ts";
import { useRead } from "../site/read.ts";
import { TEXTS } from "../texts/texts.ts";
import { CategoryGrid } from "./category-grid.tsx";
import { DevelopmentBox } from "./development-box.tsx";
import { FirstRun, isOperators } from "./first-run.tsx";

/** Who is live, by what the reader follows, what staff feature, and what is recommended. */
export function Home() {
  useTitle("");
  const home = useRead("getHome", {});
  return (
    <div class="page">
      <h1 class="aloud">{TEXTS.home.title}</h1>
      {isOperators() && <FirstRun />}
      <DevelopmentBox />
      <Loaded read={home} skeleton={<GridSkeleton />}>
        {(shelves) => <Shelves {...shelves} />}
      </Loaded>
    </div>
  );
}

function Shelves({ featured, followed_live = [], recommended, top_categories }: Schemas["HomePage"]) {
  const { home } = TEXTS;
  const isEmpty = [featured, followed_live, recommended].every((shelf) => shelf.length === 0);
  return (
    <>
      {isEmpty && (
        <div class="empty">
          <p>{home.empty}</p>
          <p class="quiet">{home.emptyHint}</p>
        </div>
      )}
      <Shelf title={home.followed} streams={followed_live} />
      <Shelf title={home.featured} streams={featured} />
      <Shelf title={followed_live.length > 0 ? home.recommended : home.live} streams={recommended} />
      {top_categories.length > 0 && (
        <section aria-labelledby="home-categories">
          <h2 id="home-categories">{home.categories}</h2>
          <CategoryGrid categories={top_categories} isShelf />
          <p>
            <a href={to("/categories")}>{home.allCategories}</a>
          </p>
        </section>
      )}
    </>
  );
}

function Shelf({ title, streams }: { title: string; streams: readonly Schemas["StreamCard"][] }) {
  if (streams.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <StreamGrid streams={streams} />
    </section>
  );
}
