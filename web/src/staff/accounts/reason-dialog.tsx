import { LivecoreError } from "@livecore/client";
import { useState } from "preact/hooks";
import { DialogForm } from "../../components/dialog-form.tsx";
import { Field } from "../../components/field.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { Problem } from "../../site/problems.ts";
import { say } from "../../site/toasts.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";

/** As the service has it. docs/interface.md#8-limits */
const LONGEST_REASON = 500;

type Props = {
  title: string;
  hint: string;
  /** The button's text. */
  go: string;
  /** What a toast says afterwards. */
  said: string;
  /** Rejects with what refused it. */
  act: (reason: string) => Promise<unknown>;
  onDone: () => void;
  onClose: () => void;
};

/** An earlier try did it, whose answer was lost. The message says what to look at. */
export class DoneBefore extends Problem {}

/** A measure against an account, with the reason that its owner is told. */
export function ReasonDialog({ title, hint, go, said, act, onDone, onClose }: Props) {
  const { accounts } = STAFF_TEXTS;
  const [reason, setReason] = useState("");
  const submission = useSubmit(async () => {
    try {
      await act(reason.trim());
      say(said);
    } catch (err) {
      if (!(err instanceof DoneBefore)) throw (err instanceof LivecoreError && wordsOf(err)) || err;
      say(err.message, { isProblem: true });
    }
    onClose();
    onDone();
  });
  return (
    <DialogForm title={title} submission={submission} go={go} isDanger onClose={onClose}>
      <p>{hint}</p>
      <Field
        name="reason"
        label={accounts.reason}
        hint={accounts.reasonHint}
        autoComplete="off"
        maxLength={LONGEST_REASON}
        value={reason}
        onValue={setReason}
        autoFocus
        required
      />
    </DialogForm>
  );
}

/** Why staff can't do something to an account. */
export function wordsOf({ code }: LivecoreError): Problem | null {
  const { accounts } = STAFF_TEXTS;
  if (code === "self_target") return new Problem(accounts.own);
  return code === "forbidden" ? new Problem(accounts.protected) : null;
}
