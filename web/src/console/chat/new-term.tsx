import { LivecoreError } from "@livecore/client";
import { useId, useState } from "preact/hooks";
import { Field } from "../../components/field.tsx";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import type { Schemas } from "../../site/page-data.ts";
import { faultOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { ACTIONS } from "./actions.ts";
import { type Trial, tryOnRecent } from "./trial.ts";

const LONGEST_TERM = 500;

type Props = { streamId: string; onAdded: (term: Schemas["ChatBlockedTerm"]) => void };

/** A term to add, and what it would have done to what was said last. */
export function NewTerm({ streamId, onAdded }: Props) {
  const texts = CONSOLE_TEXTS.chat;
  const id = useId();
  const [draft, setDraft] = useState<Required<Schemas["NewBlockedTerm"]>>({
    term: "",
    is_regex: false,
    action: "block",
  });
  const [trial, setTrial] = useState<Trial | null>(null);
  const set = (change: Partial<typeof draft>): void => {
    setDraft((before) => ({ ...before, ...change }));
    setTrial(null);
  };
  const adding = useSubmit(async () => {
    trying.reset();
    if (draft.term.trim() === "") return;
    onAdded(await client.call("addBlockedTerm", { path: { stream_id: streamId }, body: draft }));
    // The next one may have been typed meanwhile.
    setDraft((before) => (before.term === draft.term ? { ...before, term: "" } : before));
    setTrial(null);
  });
  const trying = useSubmit(async () => {
    adding.reset();
    if (draft.term.trim() !== "") setTrial(await tryOnRecent(streamId, draft));
  });
  const refusal = adding.refusal ?? trying.refusal;
  const isFull = refusal instanceof LivecoreError && refusal.code === "limit_reached";
  const fault = faultOf(refusal, "term") ?? faultOf(refusal, "draft/term");
  return (
    <form class="form" onSubmit={(event) => void adding.submit(event)}>
      <Field
        name="term"
        label={texts.term}
        autoComplete="off"
        maxLength={LONGEST_TERM}
        value={draft.term}
        onValue={(term) => set({ term })}
        fault={isFull ? texts.full(Number(refusal.details.limit)) : fault}
      />
      <div class="field">
        <label htmlFor={id}>{texts.action}</label>
        <select
          id={id}
          value={draft.action}
          onChange={({ currentTarget }) =>
            set({ action: ACTIONS.find((one) => one === currentTarget.value) ?? "block" })
          }
        >
          {ACTIONS.map((one) => (
            <option key={one} value={one}>
              {texts.actions[one]}
            </option>
          ))}
        </select>
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={draft.is_regex}
          onChange={({ currentTarget }) => set({ is_regex: currentTarget.checked })}
        />
        {texts.isRegex}
      </label>
      {!isFull && fault === null && <Refused refusal={refusal} />}
      <div class="actions">
        <button type="submit" class="button" aria-disabled={adding.isBusy}>
          {texts.add}
        </button>
        <button
          type="button"
          class="button quiet"
          aria-disabled={trying.isBusy}
          onClick={() => void trying.submit()}
        >
          {texts.test}
        </button>
      </div>
      {trial && <Outcome trial={trial} />}
    </form>
  );
}

function Outcome({ trial: { lines, hits } }: { trial: Trial }) {
  const { verdicts } = CONSOLE_TEXTS.chat;
  return (
    <div role="status" class="trial">
      <p>{hits.length === 0 ? verdicts.none(lines) : verdicts.some(hits.length, lines)}</p>
      <ul>
        {hits.map(({ key, text, verdict }) => (
          <li key={key}>
            <b>{verdicts[verdict]}</b> <q dir="auto">{text}</q>
          </li>
        ))}
      </ul>
    </div>
  );
}
