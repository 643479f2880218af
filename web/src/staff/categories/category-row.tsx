import { hueOf } from "../../formats/hue.ts";
import { type Schemas, to } from "../../site/page-data.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";

type Category = Schemas["Category"];
type Props = {
  category: Category;
  /** Where it is known already. */
  parent: Category | undefined;
  onAct: (act: "edit" | "cover" | "remove") => void;
};

/** A category with its cover, its tags and what can be done with it. */
export function CategoryRow({ category, parent, onAct }: Props) {
  const { categories: texts } = STAFF_TEXTS;
  const { slug, name, cover_image, tags, parent_id } = category;
  const acts = [
    ["edit", texts.edit, texts.editOf(name)],
    ["cover", texts.cover, texts.coverOf(name)],
    ["remove", texts.remove, texts.removeOf(name)],
  ] as const;
  return (
    <li>
      {cover_image === null ? (
        <span class="cover" aria-hidden="true" style={{ "--hue": hueOf(name) }}>
          {[...name][0]}
        </span>
      ) : (
        <img class="cover" src={cover_image} alt="" loading="lazy" width="36" height="48" />
      )}
      <div class="what">
        <a href={to(`/categories/${slug}`)}>
          <bdi>{name}</bdi>
        </a>
        {parent_id !== undefined && (
          <span class="quiet" dir="auto">
            {parent ? texts.below(parent.name) : texts.subcategory}
          </span>
        )}
        <span class="quiet" dir="auto">
          {tags.join(", ")}
        </span>
      </div>
      <div class="actions">
        {acts.map(([act, text, label]) => (
          <button key={act} type="button" class="button quiet" aria-label={label} onClick={() => onAct(act)}>
            {text}
          </button>
        ))}
      </div>
    </li>
  );
}
