import { useState } from "preact/hooks";
import { Dialog } from "../../../components/dialog.tsx";
import { Field } from "../../../components/field.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { faultOf } from "../../../site/problems.ts";
import { TEXTS } from "../../../texts/texts.ts";

const LONGEST = 50;

type Props = {
  title: string;
  /** What stands in the field at first. */
  first: string;
  onName: (name: string) => Promise<void>;
  onClose: () => void;
};

/** A name by which the owner recognises a passkey. */
export function PasskeyName({ title, first, onName, onClose }: Props) {
  const { settings, cancel } = TEXTS;
  const [name, setName] = useState(first.slice(0, LONGEST));
  const { isBusy, refusal, submit } = useSubmit(() => onName(name));
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <Field
          name="name"
          label={settings.passkeys.name}
          value={name}
          onValue={setName}
          hint={settings.passkeys.nameHint}
          fault={faultOf(refusal, "name")}
          autoComplete="off"
          maxLength={LONGEST}
          autoFocus
          required
        />
        <Refused refusal={refusal} fields={["name"]} />
        <div class="actions">
          <button type="button" class="button quiet" onClick={onClose}>
            {cancel}
          </button>
          <button type="submit" class="button" aria-disabled={isBusy}>
            {title}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
