import { useId, useState } from "preact/hooks";
import { Field } from "../../../components/field.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { problemOf } from "../../../site/problems.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { userNamed } from "../../user-named.ts";
import type { Target } from "../desk.ts";

type ActionType = Schemas["ModerationAction"]["action"];
export type Filters = {
  action: ActionType | null;
  actor: Target | null;
  target: Target | null;
  /** Of the last ones only; null for all. */
  withinMs: number | null;
};
export const NO_FILTERS: Filters = { action: null, actor: null, target: null, withinMs: null };

const HOUR_MS = 3_600_000;
const TIMES = [
  [HOUR_MS, "hour"],
  [24 * HOUR_MS, "day"],
  [7 * 24 * HOUR_MS, "week"],
] as const;

type Props = { filters: Filters; onChange: (filters: Filters) => void };

/** Which part of the log is shown: by act, moderator, user and time. Names count once they are entered. */
export function LogFilters({ filters, onChange }: Props) {
  const texts = CONSOLE_TEXTS.moderation.log;
  const acts = Object.entries(texts.acts) as [ActionType, string][];
  const [actor, setActor] = useState("");
  const [target, setTarget] = useState("");
  const { refusal, submit } = useSubmit(async () => {
    const [by, about] = await Promise.all([
      actor.trim() === "" ? null : userNamed(actor),
      target.trim() === "" ? null : userNamed(target),
    ]);
    onChange({ ...filters, actor: by, target: about });
  });
  const isFiltered = filters !== NO_FILTERS;
  return (
    <form class="filters" onSubmit={(event) => void submit(event)}>
      <Choice
        label={texts.act}
        value={filters.action ?? ""}
        options={acts}
        onChoose={(value) =>
          onChange({ ...filters, action: acts.find(([act]) => act === value)?.[0] ?? null })
        }
      />
      <Choice
        label={texts.time}
        value={String(filters.withinMs ?? "")}
        options={TIMES.map(([ms, name]) => [String(ms), texts.times[name]])}
        onChoose={(value) => onChange({ ...filters, withinMs: value === "" ? null : Number(value) })}
      />
      <Field name="actor" label={texts.actor} autoComplete="off" value={actor} onValue={setActor} />
      <Field
        name="target"
        label={texts.target}
        autoComplete="off"
        value={target}
        onValue={setTarget}
        fault={refusal === null ? null : problemOf(refusal)}
      />
      <button type="submit" class="button quiet">
        {texts.go}
      </button>
      {isFiltered && (
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            setActor("");
            setTarget("");
            onChange(NO_FILTERS);
          }}
        >
          {texts.clear}
        </button>
      )}
    </form>
  );
}

type ChoiceProps = {
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChoose: (value: string) => void;
};

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        <option value="">{CONSOLE_TEXTS.moderation.log.all}</option>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
