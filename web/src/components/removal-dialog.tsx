import { say } from "../site/toasts.ts";
import { DialogForm } from "./dialog-form.tsx";
import { useSubmit } from "./use-submit.ts";

type Props = {
  title: string;
  /** What is lost with it. */
  hint: string;
  /** The button's text. */
  go: string;
  /** What a toast says afterwards. */
  said: string;
  /** Rejects with what refused it. */
  remove: () => Promise<unknown>;
  onRemoved: () => void;
  onClose: () => void;
};

/** Asks before something is deleted. */
export function RemovalDialog({ title, hint, go, said, remove, onRemoved, onClose }: Props) {
  const submission = useSubmit(async () => {
    await remove();
    say(said);
    onClose();
    onRemoved();
  });
  return (
    <DialogForm title={title} submission={submission} go={go} isDanger onClose={onClose}>
      <p>{hint}</p>
    </DialogForm>
  );
}
