import { DialogForm } from "../../components/dialog-form.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";

type Props = {
  title: string;
  remove: () => Promise<unknown>;
  onRemoved: () => void;
  onClose: () => void;
};

/** Asks before a video or a clip is deleted. */
export function RemoveRecorded({ title, remove, onRemoved, onClose }: Props) {
  const texts = TEXTS.consoleVideos;
  const submission = useSubmit(async () => {
    await remove();
    say(texts.removed(title));
    onClose();
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
      <p>{texts.removeHint}</p>
    </DialogForm>
  );
}
