import { useState } from "preact/hooks";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { Field } from "../../../components/field.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { ChoiceFields } from "../questions/choice-fields.tsx";
import { WindowField } from "../questions/window-field.tsx";
import { type Draft, EMPTY, LIMITS, WINDOWS } from "./draft.ts";

type Props = { onOpen: (draft: Draft) => Promise<void>; onClose: () => void };

/** What viewers bet on, on which outcomes, and how long. */
export function NewPrediction({ onOpen, onClose }: Props) {
  const texts = CONSOLE_TEXTS.stream.prediction;
  const [draft, setDraft] = useState(EMPTY);
  const submission = useSubmit(async () => {
    await onOpen(draft);
    onClose();
  });
  return (
    <DialogForm title={texts.make} submission={submission} go={texts.start} onClose={onClose}>
      <Field
        name="title"
        label={texts.question}
        value={draft.title}
        onValue={(title) => setDraft({ ...draft, title })}
        autoComplete="off"
        maxLength={LIMITS.title}
        autoFocus
        required
      />
      <ChoiceFields
        legend={texts.outcomes}
        label={texts.outcome}
        choices={draft.outcomes.map(({ title }) => title)}
        onChoices={(titles) => setDraft({ ...draft, outcomes: titles.map((title) => ({ title })) })}
        {...LIMITS.outcomes}
        longest={LIMITS.outcome}
      />
      <WindowField
        label={texts.window}
        windows={WINDOWS}
        seconds={draft.duration_seconds}
        onSeconds={(duration_seconds) => setDraft({ ...draft, duration_seconds })}
      />
    </DialogForm>
  );
}
