import { useEffect, useState } from "preact/hooks";
import { Combobox } from "../../../components/combobox.tsx";
import type { Schemas } from "../../../site/page-data.ts";
import { useRead } from "../../../site/read.ts";
import { client } from "../../../site/session.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";

type Category = Pick<Schemas["CategorySummary"], "id" | "name">;
type Props = {
  /** By default, those of a stream. */
  label?: string;
  hint?: string;
  id: string | null;
  onId: (id: string | null) => void;
  fault: string | null;
};

const TOP = 8;

/** What the stream is about: one of the service's categories, found by its name. Empty for none. */
export function CategoryField({ label, hint, id, onId, fault }: Props) {
  const texts = CONSOLE_TEXTS.stream.information;
  // Of the chosen one, which may have been chosen elsewhere.
  const read = useRead("getCategory", id === null ? null : { path: { category_id: id } }, { isForAll: true });
  const [known, setKnown] = useState<Category | null>(null);
  const name = id === null ? "" : ((known?.id === id ? known.name : read.data?.name) ?? "");
  const [text, setText] = useState(name);
  useEffect(() => setText(name), [id, name]);
  return (
    <Combobox
      label={label ?? texts.category}
      hint={hint ?? texts.categoryHint}
      fault={fault}
      text={text}
      onText={(typed) => {
        setText(typed);
        if (typed.trim() === "") onId(null);
      }}
      find={categoriesFor}
      keyOf={(category) => category.id}
      onChoose={(category) => {
        setKnown(category);
        setText(category.name);
        onId(category.id);
      }}
      // What was typed and not chosen is no category.
      onLeave={() => setText(name)}
    >
      {(category) => <bdi>{category.name}</bdi>}
    </Combobox>
  );
}

/** Without text the most watched ones. Empty where there is no answer: the next letter asks again. */
async function categoriesFor(text: string, signal: AbortSignal): Promise<readonly Category[]> {
  if (text === "") {
    const top = await client
      .attempt("listCategories", { query: { per_page: TOP }, signal, retry: false })
      .catch(() => null);
    return top?.ok ? top.data.items : [];
  }
  const found = await client
    .attempt("listSearchSuggestions", { query: { q: text }, signal, retry: false })
    .catch(() => null);
  return found?.ok ? found.data.categories : [];
}
