import { DialogForm } from "../../components/dialog-form.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

type Props = { name: string; renew: () => Promise<void>; onClose: () => void };

/** Asks before a link that may be in use stops working. */
export function RenewDialog({ name, renew, onClose }: Props) {
  const texts = CONSOLE_TEXTS.overlays;
  const submission = useSubmit(renew);
  return (
    <DialogForm title={texts.renewTitle(name)} submission={submission} go={texts.renewGo} onClose={onClose}>
      <p>{texts.renewHint}</p>
    </DialogForm>
  );
}
