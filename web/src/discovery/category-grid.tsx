import { hueOf } from "../formats/hue.ts";
import { type Schemas, to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";

type Props = {
  categories: readonly Schemas["Category"][];
  /** Whether they are the home page's twelve, whose last line is full too. */
  isShelf?: boolean;
};

/** Categories with their covers. */
export function CategoryGrid({ categories, isShelf = false }: Props) {
  return (
    <ul class={isShelf ? "grid covers shelf" : "grid covers"}>
      {categories.map(({ id, slug, name, cover_image, live_viewer_count: viewers = 0 }) => (
        <li key={id} class="category-card">
          <a href={to(`/categories/${slug}`)}>
            {cover_image === null ? (
              <span class="cover" aria-hidden="true" style={{ "--hue": hueOf(name) }}>
                {[...name][0]}
              </span>
            ) : (
              <img class="cover" src={cover_image} alt="" loading="lazy" width="180" height="240" />
            )}
            <span class="title" dir="auto">
              {name}
            </span>
          </a>
          <p class="quiet">{TEXTS.viewers(viewers)}</p>
        </li>
      ))}
    </ul>
  );
}
