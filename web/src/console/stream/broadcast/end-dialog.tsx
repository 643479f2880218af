import { DialogForm } from "../../../components/dialog-form.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";

/** Ends the broadcast at once, without the time that an encoder has to come back. */
export function EndDialog({ streamId, onClose }: { streamId: string; onClose: () => void }) {
  const texts = CONSOLE_TEXTS.stream.broadcast;
  const submission = useSubmit(async () => {
    await client.call("endBroadcast", { path: { stream_id: streamId } });
    say(texts.ended);
    onClose();
  });
  return (
    <DialogForm title={texts.endTitle} submission={submission} go={texts.end} isDanger onClose={onClose}>
      <p>{texts.endHint}</p>
    </DialogForm>
  );
}
