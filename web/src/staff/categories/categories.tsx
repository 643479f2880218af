import { LivecoreError } from "@livecore/client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Field } from "../../components/field.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { PagedRows } from "../../components/paged-rows.tsx";
import { RemovalDialog } from "../../components/removal-dialog.tsx";
import { useSearchAsTyped } from "../../components/search-as-typed.ts";
import { Panel } from "../../console/panel.tsx";
import type { Schemas } from "../../site/page-data.ts";
import { usePaged } from "../../site/paged.tsx";
import { Problem } from "../../site/problems.ts";
import { useRead } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { StaffPage } from "../staff-page.tsx";
import { CategoryForm } from "./category-form.tsx";
import { CategoryRow } from "./category-row.tsx";
import { CoverDialog } from "./cover-dialog.tsx";

type Category = Schemas["Category"];
/** What stands above the list. */
type Open = { act: "add" } | { act: "edit" | "cover" | "remove"; category: Category };

/** Each is read by itself: a search names them alone. */
const MOST_FOUND = 10;

/** What streams are sorted by. */
export const StaffCategories = () => <StaffPage section="categories">{() => <Categories />}</StaffPage>;

function Categories() {
  const { categories: texts } = STAFF_TEXTS;
  const [typed, setTyped] = useState("");
  const [q, setQuery] = useState("");
  const [open, setOpen] = useState<Open | null>(null);
  const [changes, setChanges] = useState(0);
  useSearchAsTyped(typed, setQuery);
  const pages = usePaged("listCategories", {}, { isForAll: true });
  const found = useRead("search", q === "" ? null : { query: { q, type: "categories", limit: MOST_FOUND } });
  // A late answer closes no dialog that was opened since.
  const close = (): void => setOpen((now) => (now === open ? null : now));
  const changed = (): void => {
    close();
    setChanges((before) => before + 1);
    pages.again();
    if (q !== "") found.again();
  };
  const rowOf = (category: Category) => (
    <CategoryRow
      key={category.id}
      category={category}
      parent={pages.items.find(({ id }) => id === category.parent_id)}
      onAct={(act) => setOpen({ act, category })}
    />
  );
  return (
    <Panel
      title={texts.list}
      aside={
        <button type="button" class="button" onClick={() => setOpen({ act: "add" })}>
          {texts.add}
        </button>
      }
    >
      <p class="quiet">{texts.hint}</p>
      <search>
        <Field name="q" label={texts.search} autoComplete="off" value={typed} onValue={setTyped} />
      </search>
      {q === "" ? (
        <PagedRows pages={pages} empty={texts.empty}>
          {rowOf}
        </PagedRows>
      ) : (
        <Loaded read={found}>
          {({ categories }) =>
            categories.length === 0 ? (
              <p class="quiet">{texts.none}</p>
            ) : (
              <ul class="rows">
                {categories.map(({ id }) => (
                  <Found key={`${id} ${changes}`} id={id}>
                    {rowOf}
                  </Found>
                ))}
              </ul>
            )
          }
        </Loaded>
      )}
      {open?.act === "add" && <CategoryForm category={null} onSaved={changed} onClose={close} />}
      {open?.act === "edit" && <CategoryForm category={open.category} onSaved={changed} onClose={close} />}
      {open?.act === "cover" && <CoverDialog category={open.category} onSaved={changed} onClose={close} />}
      {open?.act === "remove" && (
        <RemovalDialog
          title={texts.removeTitle(open.category.name)}
          hint={texts.removeHint}
          go={texts.remove}
          said={texts.removed(open.category.name)}
          remove={() => remove(open.category.id)}
          onRemoved={changed}
          onClose={close}
        />
      )}
    </Panel>
  );
}

function Found({ id, children }: { id: string; children: (category: Category) => ComponentChildren }) {
  const read = useRead("getCategory", { path: { category_id: id } });
  return read.data ? children(read.data) : null;
}

async function remove(id: string): Promise<void> {
  try {
    await client.call("deleteCategory", { path: { category_id: id } });
  } catch (err) {
    const isFull = err instanceof LivecoreError && err.code === "category_not_empty";
    throw isFull ? new Problem(STAFF_TEXTS.categories.refusals.notEmpty) : err;
  }
}
