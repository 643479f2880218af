import { DialogForm } from "../../components/dialog-form.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import type { Schemas } from "../../site/page-data.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";

type Props = { entry: Schemas["ScheduleEntry"]; onRemoved: () => void; onClose: () => void };

/** Asks before a planned stream is deleted. */
export function RemoveEntry({ entry: { id, title, is_recurring: isWeekly }, onRemoved, onClose }: Props) {
  const texts = TEXTS.consoleSchedule;
  const submission = useSubmit(async () => {
    await client.call("deleteScheduleEntry", { path: { entry_id: id } });
    say(texts.removed(title));
    onRemoved();
  });
  return (
    <DialogForm
      title={texts.removeTitle(title)}
      submission={submission}
      go={texts.remove}
      isDanger
      onClose={onClose}
    >
      <p>{isWeekly ? texts.removeHint.weekly : texts.removeHint.once}</p>
    </DialogForm>
  );
}
