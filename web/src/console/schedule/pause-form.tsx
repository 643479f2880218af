import { useState } from "preact/hooks";
import { DialogForm } from "../../components/dialog-form.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import type { Schemas } from "../../site/page-data.ts";
import { client } from "../../site/session.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { DateField } from "./date-field.tsx";

type Props = { entry: Schemas["ScheduleEntry"]; onSaved: () => void; onClose: () => void };

/** From when and until when a weekly stream doesn't take place. */
export function PauseForm({ entry: { id, title }, onSaved, onClose }: Props) {
  const texts = CONSOLE_TEXTS.schedule.pauseForm;
  const [from, setFrom] = useState("");
  const [until, setUntil] = useState("");
  const [isMissing, setMissing] = useState(false);
  const submission = useSubmit(async () => {
    setMissing(from === "");
    if (from === "") return;
    const body = { recurrence_pause: { from, until: until === "" ? null : until } };
    await client.call("updateScheduleEntry", { path: { entry_id: id }, body });
    onSaved();
  });
  return (
    <DialogForm title={texts.title(title)} submission={submission} go={texts.go} onClose={onClose}>
      <DateField
        name="from"
        label={texts.from}
        type="date"
        value={from}
        onValue={setFrom}
        fault={isMissing ? texts.needed : null}
      />
      <DateField
        name="until"
        label={texts.until}
        type="date"
        value={until}
        onValue={setUntil}
        hint={texts.untilHint}
      />
    </DialogForm>
  );
}
