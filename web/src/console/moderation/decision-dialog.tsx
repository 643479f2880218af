import { LivecoreError } from "@livecore/client";
import { useRef, useState } from "preact/hooks";
import { DialogForm } from "../../components/dialog-form.tsx";
import { Field } from "../../components/field.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { AttemptKey } from "../../site/attempt-key.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import type { Resolution } from "./pending-requests.ts";

/** As the service has it. docs/interface.md#8-limits */
const LONGEST_NOTE = 500;

type Props = {
  streamId: string;
  requestId: string;
  name: string;
  action: "approve" | "deny";
  onDone: () => void;
  /** Another moderator was faster, or it expired. */
  onElsewhere: (resolution: Resolution) => void;
  onClose: () => void;
};

/** Approves or denies an unban request, with a note to the user. */
export function DecisionDialog({ streamId, requestId, name, action, onDone, onElsewhere, onClose }: Props) {
  const texts = CONSOLE_TEXTS.moderation.unbanRequests;
  const [note, setNote] = useState("");
  const { current: key } = useRef(new AttemptKey());
  const isApproval = action === "approve";
  const submission = useSubmit(async () => {
    const path = { stream_id: streamId, unban_request_id: requestId };
    const text = note.trim();
    const request = { path, body: text === "" ? {} : { note: text } };
    try {
      await key.once({ action, ...request }, (idempotencyKey) =>
        client.call(isApproval ? "approveUnbanRequest" : "denyUnbanRequest", { ...request, idempotencyKey }),
      );
    } catch (err) {
      const status = decidedAs(err);
      if (status === null) throw err;
      onElsewhere({ status, by: null });
      onClose();
      return;
    }
    say(isApproval ? texts.approved(name) : texts.denied(name));
    onDone();
    onClose();
  });
  return (
    <DialogForm
      title={isApproval ? texts.approveTitle(name) : texts.denyTitle(name)}
      submission={submission}
      go={isApproval ? texts.approve : texts.deny}
      onClose={onClose}
    >
      <Field
        name="note"
        autoComplete="off"
        autoFocus
        maxLength={LONGEST_NOTE}
        label={texts.note(name)}
        hint={texts.noteHint}
        value={note}
        onValue={setNote}
      />
    </DialogForm>
  );
}

const ENDS: readonly Resolution["status"][] = ["approved", "denied", "expired"];

/** How it was decided before; null for other refusals. */
function decidedAs(err: unknown): Resolution["status"] | null {
  if (!(err instanceof LivecoreError) || err.code !== "invalid_state") return null;
  return ENDS.find((status) => status === err.details.status) ?? null;
}
