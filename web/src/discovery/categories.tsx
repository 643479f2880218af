import { Loaded } from "../components/loaded.tsx";
import { useTitle } from "../site/navigation.ts";
import { More, usePaged } from "../site/paged.tsx";
import { TEXTS } from "../texts/texts.ts";
import { CategoryGrid } from "./category-grid.tsx";

/** All categories, those with most viewers first. */
export function Categories() {
  const { categories } = TEXTS;
  useTitle(categories.title);
  const pages = usePaged("listCategories", {}, { isForAll: true });
  return (
    <div class="page">
      <h1>{categories.title}</h1>
      <Loaded read={pages.first}>
        {() =>
          pages.items.length === 0 ? (
            <p class="note">{categories.empty}</p>
          ) : (
            <CategoryGrid categories={pages.items} />
          )
        }
      </Loaded>
      <More pages={pages} />
    </div>
  );
}
