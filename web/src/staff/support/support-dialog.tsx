import { LivecoreError } from "@livecore/client";
import { useState } from "preact/hooks";
import { DialogForm } from "../../components/dialog-form.tsx";
import { TextArea } from "../../components/text-area.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import type { Schemas } from "../../site/page-data.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import type { Handled } from "./handled.ts";

/** As the service has it. docs/interface.md#8-limits */
const LONGEST_NOTE = 2_000;

type Props = {
  one: Schemas["StaffSupportRequest"];
  to: Handled;
  /** It is handled, now or before. */
  onDone: () => void;
  onClose: () => void;
};

/** Takes a request out of the queue, with a note for staff. */
export function SupportDialog({ one, to, onDone, onClose }: Props) {
  const { support } = STAFF_TEXTS;
  const [note, setNote] = useState("");
  const isAnswered = to === "answered";
  const submission = useSubmit(async () => {
    const text = note.trim();
    try {
      await client.call("handleSupportRequest", {
        path: { support_id: one.id },
        body: { status: to, ...(text !== "" && { note: text }) },
      });
      say(isAnswered ? support.saidAnswered : support.saidClosed);
    } catch (err) {
      if (!(err instanceof LivecoreError && err.code === "invalid_state")) throw err;
      say(support.elsewhere, { isProblem: true });
    }
    onDone();
    onClose();
  });
  return (
    <DialogForm
      title={isAnswered ? support.answeredTitle : support.closeTitle}
      submission={submission}
      go={isAnswered ? support.answered : support.close}
      onClose={onClose}
    >
      <TextArea
        name="note"
        label={support.note}
        hint={support.noteHint}
        value={note}
        onValue={setNote}
        maxLength={LONGEST_NOTE}
      />
    </DialogForm>
  );
}
