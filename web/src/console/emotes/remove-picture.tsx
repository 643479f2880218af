import { DialogForm } from "../../components/dialog-form.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";

type Props = {
  kind: "emote" | "badge";
  name: string;
  remove: () => Promise<unknown>;
  onRemoved: () => void;
  onClose: () => void;
};

/** Asks before an emote or a badge is deleted. */
export function RemovePicture({ kind, name, remove, onRemoved, onClose }: Props) {
  const texts = TEXTS.consoleEmotes;
  const submission = useSubmit(async () => {
    await remove();
    say(texts.removed(name));
    onClose();
    onRemoved();
  });
  return (
    <DialogForm
      title={texts.removeTitle(name)}
      submission={submission}
      go={texts.remove}
      isDanger
      onClose={onClose}
    >
      <p>{texts.removeHint[kind]}</p>
    </DialogForm>
  );
}
