import { LivecoreError } from "@livecore/client";
import { useRef, useState } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { ownZone } from "../../formats/dates.ts";
import { AttemptKey } from "../../site/attempt-key.ts";
import type { Schemas } from "../../site/page-data.ts";
import { faultOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { DateField } from "./date-field.tsx";
import { type Draft, draftOf, entryOf, faultsOf } from "./draft.ts";

const LONGEST_TITLE = 140;

type Props = {
  /** Null: a new one. */
  entry: Schemas["ScheduleEntry"] | null;
  onSaved: () => void;
  onClose: () => void;
};

/** When a stream is planned, once or each week. */
export function EntryForm({ entry, onSaved, onClose }: Props) {
  const texts = CONSOLE_TEXTS.schedule;
  const { form } = texts;
  const [draft, setDraft] = useState(() => draftOf(entry));
  const [isChecked, setChecked] = useState(false);
  const { current: key } = useRef(new AttemptKey());
  const set = (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change }));
  const faults = faultsOf(draft);
  const shown = isChecked ? faults : {};
  const { isBusy, refusal, submit } = useSubmit(async () => {
    setChecked(true);
    if (Object.keys(faults).length > 0) return;
    const body = entryOf(draft);
    if (entry) await client.call("updateScheduleEntry", { path: { entry_id: entry.id }, body });
    else {
      const made = { ...body, time_zone: ownZone() };
      await key.once(made, (idempotencyKey) =>
        client.call("createScheduleEntry", { body: made, idempotencyKey }),
      );
    }
    onSaved();
  });
  const isFull = refusal instanceof LivecoreError && refusal.code === "limit_reached";
  return (
    <Dialog title={entry ? form.editTitle : form.addTitle} onClose={onClose}>
      <form class="form" noValidate onSubmit={(event) => void submit(event)}>
        <Field
          name="title"
          label={form.title}
          autoComplete="off"
          maxLength={LONGEST_TITLE}
          value={draft.title}
          onValue={(title) => set({ title })}
          fault={shown.title ?? faultOf(refusal, "title")}
          autoFocus
        />
        <DateField
          name="starts"
          label={form.starts}
          type="datetime-local"
          value={draft.starts}
          onValue={(starts) => set({ starts })}
          hint={form.zone(ownZone())}
          fault={shown.starts ?? faultOf(refusal, "starts_at")}
        />
        <DateField
          name="ends"
          label={form.ends}
          type="datetime-local"
          value={draft.ends}
          onValue={(ends) => set({ ends })}
          hint={form.endsHint}
          fault={shown.ends ?? faultOf(refusal, "ends_at")}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={draft.isWeekly}
            onChange={({ currentTarget }) => set({ isWeekly: currentTarget.checked })}
          />
          {form.weekly}
        </label>
        {draft.isWeekly && (
          <DateField
            name="until"
            label={form.until}
            type="date"
            value={draft.until}
            onValue={(until) => set({ until })}
            hint={form.untilHint}
            fault={faultOf(refusal, "recurrence_until")}
          />
        )}
        {isFull ? (
          <p class="fault" role="alert">
            {texts.full(Number(refusal.details.limit))}
          </p>
        ) : (
          <Refused refusal={refusal} fields={["title", "starts_at", "ends_at", "recurrence_until"]} />
        )}
        <div class="actions">
          <button type="button" class="button quiet" onClick={onClose}>
            {TEXTS.cancel}
          </button>
          <button type="submit" class="button" aria-disabled={isBusy}>
            {form.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
