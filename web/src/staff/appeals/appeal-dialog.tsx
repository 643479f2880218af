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
  /** What the page shows of the appeal is old: it was claimed, or another staff member was faster. */
  onStale: () => void;
  onClose: () => void;
};

/** Accepts or declines an appeal, with the answer that the user reads. Says before what an acceptance undoes. */
export function AppealDialog({ one, decision, userId, onDone, onStale, onClose }: Props) {
  const { appeals } = STAFF_TEXTS;
  const [note, setNote] = useState("");
  const isGrant = decision === "grant";
  const name = nameOrGone(one.user);
  const submission = useSubmit(async () => {
    const answer = note.trim();
    if (answer === "") throw new Problem(appeals.noNote);
    try {
      await decide(one, userId, { decision, note: answer });
      say(isGrant ? appeals.accepted : appeals.declined);
      onDone();
    } catch (err) {
      onStale();
      const words = err instanceof LivecoreError ? wordsOf(err) : null;
      if (!words?.isFinal) throw words?.problem ?? err;
      say(words.problem.message, { isProblem: true });
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

/** Decides an appeal, which takes a claim first; again where the one that the page knows of ran out. */
async function decide(
  { id, claimed_by }: Schemas["StaffAppeal"],
  userId: string,
  body: { decision: "grant" | "deny"; note: string },
): Promise<void> {
  const handle = (handling: Schemas["AppealHandling"]) =>
    client.call("handleAppeal", { path: { appeal_id: id }, body: handling });
  if (claimed_by?.id !== userId) await handle({ action: "claim" });
  try {
    await handle(body);
  } catch (err) {
    if (!(err instanceof LivecoreError && err.code === "not_claimed")) throw err;
    await handle({ action: "claim" });
    await handle(body);
  }
}

/** Why it can't be decided now. `isFinal`: not by this reader, or not any more. */
export function wordsOf({ code, details }: LivecoreError): { problem: Problem; isFinal: boolean } | null {
  const { frame, appeals } = STAFF_TEXTS;
  if (code === "not_claimed") return { problem: new Problem(frame.claim.over), isFinal: false };
  if (code === "invalid_state" && details.status === "claimed")
    return { problem: new Problem(frame.claim.taken), isFinal: false };
  if (code === "self_target") return { problem: new Problem(appeals.own), isFinal: true };
  return code === "invalid_state" ? { problem: new Problem(frame.claim.decided), isFinal: true } : null;
}
