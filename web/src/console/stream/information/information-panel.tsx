import { useId, useLayoutEffect, useState } from "preact/hooks";
import { Field } from "../../../components/field.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { faultOf } from "../../../site/problems.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { useUnsaved } from "../../../site/unsaved.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { Panel } from "../../panel.tsx";
import type { OwnStream } from "../own-stream.ts";
import { CategoryField } from "./category-field.tsx";
import { languageFrom, languagesWith } from "./languages.ts";
import { TagsField } from "./tags-field.tsx";
import { isSame, typedSince, type Values, valuesOf } from "./values.ts";

const LONGEST_TITLE = 140;
const FIELDS = ["name", "category_id", "tags", "language"] as const;

type Props = { stream: OwnStream; onStream: (stream: OwnStream) => void };

/** What viewers read of the stream. What is changed elsewhere is shown at once, unless there are changes here. */
export function InformationPanel({ stream, onStream }: Props) {
  const texts = CONSOLE_TEXTS.stream.information;
  const mature = useId();
  const language = useId();
  const [base, setBase] = useState(() => valuesOf(stream));
  const [values, setValues] = useState(base);
  const set = (changed: Partial<Values>): void => setValues((before) => ({ ...before, ...changed }));
  const adopt = (now: OwnStream, sent = values): void => {
    setBase(valuesOf(now));
    setValues((before) => ({ ...valuesOf(now), ...typedSince(sent, before) }));
  };
  const isChanged = !isSame(values, base);
  const isOutdated = !isSame(stream, base);
  const isAgreed = isSame(stream, values);
  useUnsaved(isChanged ? "changed" : "");
  useLayoutEffect(() => {
    if (isOutdated && (!isChanged || isAgreed)) adopt(stream);
  }, [stream, isChanged, isOutdated, isAgreed]);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    if (!isChanged) return;
    const { language: code, ...rest } = values;
    // One that isn't offered stays as it is.
    const change = code === stream.language ? {} : { language: code === null ? null : languageFrom(code) };
    const saved = await client.call("updateMyStream", { body: { ...rest, ...change } });
    adopt(saved);
    onStream(saved);
    say(TEXTS.settings.saved);
  });
  return (
    <Panel title={texts.title} kind="information">
      <form class="form" onSubmit={(event) => void submit(event)}>
        <Field
          name="name"
          label={texts.name}
          value={values.name}
          onValue={(name) => set({ name })}
          fault={faultOf(refusal, "name")}
          autoComplete="off"
          maxLength={LONGEST_TITLE}
          required
        />
        <CategoryField
          id={values.category_id}
          onId={(category_id) => set({ category_id })}
          fault={faultOf(refusal, "category_id")}
        />
        <TagsField tags={values.tags} onTags={(tags) => set({ tags })} fault={faultOf(refusal, "tags")} />
        <div class="field">
          <label htmlFor={language}>{texts.language}</label>
          <select
            id={language}
            value={values.language ?? ""}
            onChange={({ currentTarget: { value } }) => set({ language: value === "" ? null : value })}
          >
            <option value="">{texts.noLanguage}</option>
            {languagesWith(values.language).map(({ code, name }) => (
              <option key={code} value={code} dir="auto">
                {name}
              </option>
            ))}
          </select>
        </div>
        <label class="check explained" htmlFor={mature}>
          <input
            id={mature}
            type="checkbox"
            checked={values.is_mature}
            onChange={({ currentTarget }) => set({ is_mature: currentTarget.checked })}
          />
          <span class="what">
            {texts.mature}
            <span class="quiet">{texts.matureHint}</span>
          </span>
        </label>
        {isOutdated && isChanged && (
          <div class="elsewhere" role="status">
            <p>{texts.elsewhere}</p>
            <button type="button" class="button quiet" onClick={() => adopt(stream)}>
              {texts.takeTheirs}
            </button>
          </div>
        )}
        <Refused refusal={refusal} fields={FIELDS} />
        <div class="actions">
          <button type="submit" class="button" aria-disabled={isBusy || !isChanged}>
            {isBusy ? TEXTS.settings.saving : isChanged ? texts.save : texts.saved}
          </button>
        </div>
      </form>
    </Panel>
  );
}
