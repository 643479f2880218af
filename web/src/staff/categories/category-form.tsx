import { LivecoreError } from "@livecore/client";
import { useRef, useState } from "preact/hooks";
import { DialogForm } from "../../components/dialog-form.tsx";
import { Field } from "../../components/field.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { CategoryField } from "../../console/stream/information/category-field.tsx";
import { AttemptKey } from "../../site/attempt-key.ts";
import type { Schemas } from "../../site/page-data.ts";
import { Problem } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";

/** As the service has it. docs/interface.md#8-limits */
const LONGEST_NAME = 60;
const LONGEST_SLUG = 64;
const MOST_TAGS = 10;

type Props = {
  /** Null: a new one. */
  category: Schemas["Category"] | null;
  onSaved: () => void;
  onClose: () => void;
};

/** Adds or changes a category. */
export function CategoryForm({ category, onSaved, onClose }: Props) {
  const { form } = STAFF_TEXTS.categories;
  const [name, setName] = useState(category?.name ?? "");
  const [slug, setSlug] = useState(category?.slug ?? "");
  const [tags, setTags] = useState(category?.tags.join(", ") ?? "");
  const [parentId, setParent] = useState(category?.parent_id ?? null);
  const { current: key } = useRef(new AttemptKey());
  const submission = useSubmit(async () => {
    const title = name.trim();
    if (title === "") throw new Problem(form.noName);
    const words = [...new Set(tags.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
    const address = slug.trim();
    const body = {
      name: title,
      tags: words.slice(0, MOST_TAGS),
      parent_id: parentId,
      ...(address !== "" && { slug: address }),
    };
    try {
      if (category) await client.call("updateCategory", { path: { category_id: category.id }, body });
      else await key.once(body, (idempotencyKey) => client.call("createCategory", { body, idempotencyKey }));
    } catch (err) {
      throw (err instanceof LivecoreError && wordsOf(err)) || err;
    }
    say(category ? form.saved(title) : form.added(title));
    onSaved();
  });
  return (
    <DialogForm
      title={category ? form.editTitle(category.name) : form.addTitle}
      submission={submission}
      go={form.save}
      onClose={onClose}
    >
      <Field
        name="name"
        label={form.name}
        autoComplete="off"
        maxLength={LONGEST_NAME}
        value={name}
        onValue={setName}
        autoFocus
        required
      />
      <Field
        name="slug"
        label={form.slug}
        hint={form.slugHint}
        autoComplete="off"
        maxLength={LONGEST_SLUG}
        value={slug}
        onValue={setSlug}
      />
      <Field
        name="tags"
        label={form.tags}
        hint={form.tagsHint}
        autoComplete="off"
        value={tags}
        onValue={setTags}
      />
      <CategoryField label={form.parent} hint={form.parentHint} id={parentId} onId={setParent} fault={null} />
    </DialogForm>
  );
}

function wordsOf({ code, details }: LivecoreError): Problem | null {
  const { refusals } = STAFF_TEXTS.categories;
  if (code === "slug_taken") return new Problem(refusals.slug);
  if (code === "category_too_deep") return new Problem(refusals.deep);
  return code === "limit_reached" ? new Problem(refusals.limit(Number(details.limit))) : null;
}
