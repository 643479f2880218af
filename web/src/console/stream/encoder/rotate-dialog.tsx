import { withStepUp } from "../../../accounts/step-up/step-up.ts";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import type { OwnStream } from "../own-stream.ts";

type Props = { isLive: boolean; onStream: (stream: OwnStream) => void; onClose: () => void };

/** A new stream key in place of one that others may know. */
export function RotateDialog({ isLive, onStream, onClose }: Props) {
  const texts = CONSOLE_TEXTS.stream.encoder;
  const submission = useSubmit(async () => {
    onStream(await withStepUp(() => client.call("rotateStreamKey")));
    say(texts.rotated);
    onClose();
  });
  return (
    <DialogForm
      title={texts.rotateTitle}
      submission={submission}
      go={texts.rotateGo}
      isDanger
      onClose={onClose}
    >
      <p>{isLive ? texts.rotateHintLive : texts.rotateHint}</p>
    </DialogForm>
  );
}
