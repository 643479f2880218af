import { LivecoreError } from "@livecore/client";
import { useState } from "preact/hooks";
import { DialogForm } from "../../components/dialog-form.tsx";
import { TextArea } from "../../components/text-area.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import type { Schemas } from "../../site/page-data.ts";
import { Problem } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { nameOrGone } from "../account-link.tsx";

/** As the service has it. docs/interface.md#8-limits */
const LONGEST_NOTE = 2_000;

type Props = {
  one: Schemas["StaffAppeal"];
  decision: "grant" | "deny";
  userId: string;
  onDone: () => void;
  /** Another staff member was faster. */
  onElsewhere: () => void;
  onClose: () => void;
};

/** Accepts or declines an appeal, with the answer that the user reads. Says before what an acceptance undoes. */
export function AppealDialog({ one, decision, userId, onDone, onElsewhere, onClose }: Props) {
  const { appeals } = STAFF_TEXTS;
  const [note, setNote] = useState("");
  const isGrant = decision === "grant";
  const name = nameOrGone(one.user);
  const submission = useSubmit(async () => {
    const answer = note.trim();
    if (answer === "") throw new Problem(appeals.noNote);
    const path = { appeal_id: one.id };
    try {
      if (one.claimed_by?.id !== userId)
        await client.call("handleAppeal", { path, body: { action: "claim" } });
      await client.call("handleAppeal", { path, body: { decision, note: answer } });
      say(isGrant ? appeals.accepted : appeals.declined);
      onDone();
    } catch (err) {
      const words = err instanceof LivecoreError ? wordsOf(err) : null;
      if (words === null) throw err;
      say(words.message, { isProblem: true });
      onElsewhere();
    }
    onClose();
  });
  return (
    <DialogForm
      title={isGrant ? appeals.acceptTitle(name) : appeals.declineTitle(name)}
      submission={submission}
      go={isGrant ? appeals.accept : appeals.decline}
      onClose={onClose}
    >
      <p>{isGrant ? appeals.undoes[one.subject_type] : appeals.declineHint}</p>
      <TextArea
        name="note"
        label={appeals.note}
        hint={appeals.noteHint}
        value={note}
        onValue={setNote}
        maxLength={LONGEST_NOTE}
        required
      />
    </DialogForm>
  );
}

/** Where it can't be decided by this reader, or not any more. */
export function wordsOf({ code, details }: LivecoreError): Problem | null {
  const { frame, appeals } = STAFF_TEXTS;
  if (code === "self_target") return new Problem(appeals.own);
  if (code === "not_claimed") return new Problem(frame.claim.taken);
  if (code !== "invalid_state") return null;
  return new Problem(details.status === "claimed" ? frame.claim.taken : frame.claim.decided);
}
