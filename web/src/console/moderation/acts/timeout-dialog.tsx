import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { Field } from "../../../components/field.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { formatDuration } from "../../../formats/durations.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { type ActProps, LONGEST_REASON, reasonOf } from "./reason.ts";

const LENGTHS_S = [60, 600, 1_800, 3_600, 86_400, 604_800, 1_209_600] as const;

/** Asks for how long: a digit chooses, Enter sends. */
export function TimeoutDialog({ streamId, user, reason: known = "", onDone, onClose }: ActProps) {
  const texts = CONSOLE_TEXTS.moderation.acts;
  const [seconds, setSeconds] = useState<number>(LENGTHS_S[1]);
  const [reason, setReason] = useState(known);
  const list = useRef<HTMLFieldSetElement>(null);
  const focus = (length: number): void =>
    list.current?.querySelector<HTMLElement>(`input[value="${length}"]`)?.focus();
  // After the dialog has been opened: digits and arrows choose at once.
  useLayoutEffect(() => focus(seconds), []);
  const submission = useSubmit(async () => {
    const path = { stream_id: streamId, user_id: user.id };
    await client.call("timeoutUser", { path, body: { duration_seconds: seconds, ...reasonOf(reason) } });
    say(TEXTS.userCard.timedOut(user.username, seconds));
    onClose();
    onDone?.();
  });
  const onKey = (event: KeyboardEvent): void => {
    const chosen = /^[1-9]$/.test(event.key) ? LENGTHS_S[Number(event.key) - 1] : undefined;
    if (chosen === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setSeconds(chosen);
    focus(chosen);
  };
  return (
    <DialogForm
      title={texts.timeOutTitle(user.username)}
      submission={submission}
      go={texts.timeOut}
      isDanger
      onClose={onClose}
    >
      <fieldset ref={list} class="lengths" onKeyDown={onKey}>
        <legend>{texts.length}</legend>
        {LENGTHS_S.map((length, at) => (
          <label key={length} class="check">
            <input
              type="radio"
              name="length"
              value={length}
              checked={length === seconds}
              onChange={() => setSeconds(length)}
            />
            {formatDuration(length)}
            <kbd>{at + 1}</kbd>
          </label>
        ))}
      </fieldset>
      <Field
        name="reason"
        autoComplete="off"
        maxLength={LONGEST_REASON}
        label={texts.reason}
        hint={texts.reasonHint}
        value={reason}
        onValue={setReason}
      />
    </DialogForm>
  );
}
