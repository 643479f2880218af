import { nameOf } from "../../../components/avatar.tsx";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { client } from "../../../site/session.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { type Target, useDesk } from "../desk.ts";

type Props = { user: Target; note: Schemas["MemberNote"]; onDone: () => void; onClose: () => void };

/** Asks before a note is deleted: nothing of it is left. */
export function DeleteNote({ user, note, onDone, onClose }: Props) {
  const texts = CONSOLE_TEXTS.moderation.notes;
  const { streamId } = useDesk();
  const submission = useSubmit(async () => {
    const path = { stream_id: streamId, user_id: user.id, note_id: note.id };
    await client.call("deleteMemberNote", { path });
    onClose();
    onDone();
  });
  return (
    <DialogForm
      title={texts.deleteTitle(nameOf(note.author))}
      submission={submission}
      go={texts.delete}
      isDanger
      onClose={onClose}
    >
      <p dir="auto">{note.text}</p>
    </DialogForm>
  );
}
