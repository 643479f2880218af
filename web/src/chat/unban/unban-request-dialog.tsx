import { useRef, useState } from "preact/hooks";
import { DialogForm } from "../../components/dialog-form.tsx";
import { TextArea } from "../../components/text-area.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { AttemptKey } from "../../site/attempt-key.ts";
import type { Schemas } from "../../site/page-data.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";

/** As the service has it. docs/interface.md#8-limits */
const LONGEST_MESSAGE = 500;

type Props = {
  streamId: string;
  channelName: string;
  onSent: (sent: Schemas["OwnUnbanRequest"]) => void;
  onClose: () => void;
};

/** Asks the moderators of a chat to lift the reader's ban. */
export function UnbanRequestDialog({ streamId, channelName, onSent, onClose }: Props) {
  const { unbanRequest } = TEXTS;
  const [message, setMessage] = useState("");
  const attempt = useRef(new AttemptKey());
  const submission = useSubmit(async () => {
    const request = { path: { stream_id: streamId }, body: { message: message.trim() } };
    const sent = await attempt.current.once(request, (idempotencyKey) =>
      client.call("createUnbanRequest", { ...request, idempotencyKey }),
    );
    onSent(sent);
    onClose();
  });
  return (
    <DialogForm
      title={unbanRequest.title(channelName)}
      submission={submission}
      go={unbanRequest.send}
      onClose={onClose}
    >
      <TextArea
        name="message"
        label={unbanRequest.message}
        value={message}
        onValue={setMessage}
        hint={unbanRequest.messageHint}
        maxLength={LONGEST_MESSAGE}
        required
      />
    </DialogForm>
  );
}
