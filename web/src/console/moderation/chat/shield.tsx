import { ShieldAlert, ShieldCheck } from "lucide";
import { useState } from "preact/hooks";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { Icon } from "../../../components/icon.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { client } from "../../../site/session.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { useModes } from "../../chat/use-modes.ts";
import { useDeskKeys } from "../keys/desk-keys.ts";

/** Turns shield mode on at once, by a press or a key; turning it off is asked. */
export function ShieldButton({ streamId }: { streamId: string }) {
  const texts = CONSOLE_TEXTS.moderation.shield;
  const { read, change, isBusy } = useModes(streamId);
  const [isAsked, ask] = useState(false);
  const isOn = read.data?.shield_mode;
  const press = (): void => {
    if (isOn === undefined || isBusy) return;
    if (isOn) ask(true);
    else change({ shield_mode: true });
  };
  useDeskKeys({ s: press });
  const submission = useSubmit(async () => {
    const path = { stream_id: streamId };
    await client.call("updateChatSettings", { path, body: { shield_mode: false } });
    read.again();
    ask(false);
  });
  return (
    <>
      <button
        type="button"
        class={isOn ? "button danger shield" : "button quiet shield"}
        aria-pressed={isOn ?? false}
        aria-disabled={isOn === undefined || isBusy}
        aria-keyshortcuts="s"
        onClick={press}
      >
        <Icon of={isOn ? ShieldAlert : ShieldCheck} />
        {isOn ? texts.isOn : texts.turnOn}
      </button>
      {isAsked && (
        <DialogForm
          title={texts.offTitle}
          submission={submission}
          go={texts.turnOff}
          stay={texts.keep}
          onClose={() => ask(false)}
        >
          <p>{texts.offHint}</p>
        </DialogForm>
      )}
    </>
  );
}
