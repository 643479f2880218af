import { useState } from "preact/hooks";
import { Field } from "../../../components/field.tsx";
import { Refused } from "../../../components/refused.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { faultOf, faultsIn } from "../../../site/problems.ts";
import { client, type Me, updatedMe } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { useUnsaved } from "../../../site/unsaved.ts";
import { TEXTS } from "../../../texts/texts.ts";

const LONGEST = 300;
const MOST_KEYWORDS = 50;

/** What search engines and link previews show of the channel. Tags that other programs have set stay. */
export function SeoForm({ user }: { user: Me }) {
  const { settings, problems } = TEXTS;
  const { seo } = settings;
  const [title, setTitle] = useState(user.seo_tags.title ?? "");
  const [description, setDescription] = useState(user.seo_tags.description ?? "");
  const [keywords, setKeywords] = useState(user.seo_tags.keywords?.join(", ") ?? "");
  const saved = useUnsaved([title, description, keywords]);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const words = keywords.split(",").flatMap((word) => word.trim() || []);
    const { title: _title, description: _description, keywords: _keywords, ...others } = user.seo_tags;
    const body = {
      ...others,
      ...(title.trim() !== "" && { title: title.trim() }),
      ...(description.trim() !== "" && { description: description.trim() }),
      ...(words.length > 0 && { keywords: words }),
    };
    const tags = await client.call("setSeoTags", { body });
    updatedMe({ ...user, seo_tags: tags });
    saved();
    say(settings.saved);
  });
  const keywordFault = faultsIn(refusal).find(({ path }) => path.startsWith("/body/keywords"));
  return (
    <form class="box" onSubmit={(event) => void submit(event)}>
      <h2>{seo.heading}</h2>
      <p>{seo.hint}</p>
      <Field
        name="seo_title"
        label={seo.title}
        value={title}
        onValue={setTitle}
        hint={seo.titleHint}
        fault={faultOf(refusal, "title")}
        autoComplete="off"
        maxLength={LONGEST}
      />
      <TextArea
        name="seo_description"
        label={seo.description}
        value={description}
        onValue={setDescription}
        hint={seo.descriptionHint}
        fault={faultOf(refusal, "description")}
        maxLength={LONGEST}
        rows={3}
      />
      <Field
        name="seo_keywords"
        label={seo.keywords}
        value={keywords}
        onValue={setKeywords}
        hint={seo.keywordsHint(MOST_KEYWORDS)}
        fault={keywordFault ? problems.field(seo.keywords, keywordFault.message) : null}
        autoComplete="off"
      />
      <Refused refusal={keywordFault ? null : refusal} fields={["title", "description"]} />
      <div class="actions">
        <button type="submit" class="button" aria-disabled={isBusy}>
          {isBusy ? settings.saving : settings.save}
        </button>
      </div>
    </form>
  );
}
