import { useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { DialogForm } from "../components/dialog-form.tsx";
import { Field } from "../components/field.tsx";
import { ReportDialog } from "../safety/report-dialog.tsx";
import { HOSTILE, LONG, nothing } from "./made-up.ts";
import { Shelf, Specimen } from "./specimen.tsx";

const SENDING = { isBusy: false, refusal: new Error(HOSTILE), submit: nothing };

/** What stands above the page: each is opened by its button. */
export function DialogShelf() {
  const [open, setOpen] = useState<string | null>(null);
  const onClose = () => setOpen(null);
  const dialogs = {
    Dialog: (
      <Dialog title={HOSTILE} isLightDismissed onClose={onClose}>
        <h2>{HOSTILE}</h2>
        <p>{LONG}</p>
      </Dialog>
    ),
    Report: <ReportDialog target={{ type: "user", id: "made-up", name: HOSTILE }} onClose={onClose} />,
    "Dialog with a form": (
      <DialogForm title={LONG} submission={SENDING} go="Send it" isDanger onClose={onClose}>
        <Field name="in-dialog" autoComplete="off" label="Field" value="" onValue={nothing} fault={LONG} />
      </DialogForm>
    ),
  };
  return (
    <Shelf title="Dialogs">
      <Specimen name="Each by its button">
        <div class="actions">
          {Object.keys(dialogs).map((name) => (
            <button key={name} type="button" class="button" data-opens onClick={() => setOpen(name)}>
              {name}
            </button>
          ))}
        </div>
        {Object.entries(dialogs).find(([name]) => name === open)?.[1]}
      </Specimen>
    </Shelf>
  );
}
