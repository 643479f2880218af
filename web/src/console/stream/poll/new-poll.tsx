import { useState } from "preact/hooks";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { Field } from "../../../components/field.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { ChoiceFields } from "../questions/choice-fields.tsx";
import { WindowField } from "../questions/window-field.tsx";

type Draft = Schemas["NewPoll"];

/** As the service allows it. */
const LIMITS = { options: { least: 2, most: 5 }, question: 60, option: 25 } as const;
/** How long one can vote, seconds. */
const WINDOWS = [30, 60, 120, 180, 300, 600, 1_800] as const;
const EMPTY: Draft = { question: "", options: ["", ""], duration_sec: 60 };

type Props = { onOpen: (draft: Draft) => Promise<void>; onClose: () => void };

/** What viewers vote on, for which options, and how long. */
export function NewPoll({ onOpen, onClose }: Props) {
  const texts = CONSOLE_TEXTS.stream.poll;
  const [draft, setDraft] = useState(EMPTY);
  const submission = useSubmit(async () => {
    await onOpen(draft);
    onClose();
  });
  return (
    <DialogForm title={texts.make} submission={submission} go={texts.start} onClose={onClose}>
      <Field
        name="question"
        label={texts.question}
        value={draft.question}
        onValue={(question) => setDraft({ ...draft, question })}
        autoComplete="off"
        maxLength={LIMITS.question}
        autoFocus
        required
      />
      <ChoiceFields
        legend={texts.options}
        label={texts.option}
        choices={draft.options}
        onChoices={(options) => setDraft({ ...draft, options })}
        {...LIMITS.options}
        longest={LIMITS.option}
      />
      <WindowField
        label={texts.window}
        windows={WINDOWS}
        seconds={draft.duration_sec}
        onSeconds={(duration_sec) => setDraft({ ...draft, duration_sec })}
      />
    </DialogForm>
  );
}
