import { DialogForm } from "../../components/dialog-form.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import type { Schemas } from "../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

type Created = Schemas["CreatedOverlay"];
type Props = {
  name: string;
  renew: () => Promise<Created>;
  onRenewed: (overlay: Created) => void;
  onClose: () => void;
};

/** Asks before a link that may be in use stops working. */
export function RenewDialog({ name, renew, onRenewed, onClose }: Props) {
  const texts = CONSOLE_TEXTS.overlays;
  const submission = useSubmit(async () => onRenewed(await renew()));
  return (
    <DialogForm title={texts.renewTitle(name)} submission={submission} go={texts.renewGo} onClose={onClose}>
      <p>{texts.renewHint}</p>
    </DialogForm>
  );
}
