import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Loaded } from "../components/loaded.tsx";
import { NotFound } from "../components/not-found.tsx";
import { GridSkeleton, StreamGrid } from "../components/stream-card.tsx";
import { useTitle } from "../site/navigation.ts";
import type { Schemas } from "../site/page-data.ts";
import { More, usePaged } from "../site/paged.tsx";
import { useRead } from "../site/read.ts";
import { TEXTS } from "../texts/texts.ts";

type Sort = "viewers" | "recent";

/** Who is live in one category. */
export function Category({ category_id }: { category_id: string }) {
  const read = useRead("getCategory", { path: { category_id } }, { isForAll: true });
  useTitle(read.data?.name);
  return (
    <Loaded read={read} missing={<NotFound />}>
      {(category) => <Streams key={category.id} category={category} name={category_id} />}
    </Loaded>
  );
}

/** `name`: as the address has it, by which the page's own data is known. */
function Streams({ category, name }: { category: Schemas["Category"]; name: string }) {
  const { categories } = TEXTS;
  const { query } = useLocation();
  const [sort, setSort] = useState<Sort>(query.sort === "recent" ? "recent" : "viewers");
  const pages = usePaged(
    "listCategoryStreams",
    { path: { category_id: name }, query: { sort } },
    { isForAll: true },
  );
  return (
    <div class="page">
      <header class="heading">
        <h1 dir="auto">{category.name}</h1>
        <p class="quiet">{TEXTS.viewers(category.live_viewer_count ?? 0)}</p>
        <label>
          {categories.sortBy}{" "}
          <select
            value={sort}
            onChange={({ currentTarget }) => setSort(currentTarget.value === "recent" ? "recent" : "viewers")}
          >
            <option value="viewers">{categories.byViewers}</option>
            <option value="recent">{categories.recent}</option>
          </select>
        </label>
      </header>
      <Loaded read={pages.first} skeleton={<GridSkeleton />}>
        {() =>
          pages.items.length === 0 ? (
            <p class="note">{categories.noStreams}</p>
          ) : (
            <StreamGrid streams={pages.items} />
          )
        }
      </Loaded>
      <More pages={pages} />
    </div>
  );
}
