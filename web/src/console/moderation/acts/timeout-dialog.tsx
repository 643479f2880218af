import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { Field } from "../../../components/field.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { formatMoment } from "../../../formats/dates.ts";
import { formatDuration } from "../../../formats/durations.ts";
import { serverNow } from "../../../site/service-clock.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { type ActProps, LONGEST_REASON, reasonOf } from "./reason.ts";

/** Stands for the end that a timeout has already. */
const AS_IT_IS = 0;
/** Seconds, by the digit that chooses them. */
const LENGTHS_S: readonly number[] = [AS_IT_IS, 60, 600, 1_800, 3_600, 86_400, 604_800, 1_209_600];
const USUAL_S = 600;

/** Asks for how long: a digit chooses, Enter sends. A timeout in force keeps its end unless another length is chosen. */
export function TimeoutDialog(props: ActProps) {
  const { streamId, user, reason: known = "", until = null, onDone = say, onClose } = props;
  const texts = CONSOLE_TEXTS.moderation.acts;
  const [length, setLength] = useState(until === null ? USUAL_S : AS_IT_IS);
  const [reason, setReason] = useState(known);
  const list = useRef<HTMLFieldSetElement>(null);
  const focus = (chosen: number): void =>
    list.current?.querySelector<HTMLElement>(`input[value="${chosen}"]`)?.focus();
  // After the dialog has been opened: digits and arrows choose at once.
  useLayoutEffect(() => focus(length), []);
  const submission = useSubmit(async () => {
    const path = { stream_id: streamId, user_id: user.id };
    const seconds = length === AS_IT_IS ? secondsTo(until) : length;
    await client.call("timeoutUser", { path, body: { duration_seconds: seconds, ...reasonOf(reason) } });
    onClose();
    onDone(TEXTS.userCard.timedOut(user.username, seconds));
  });
  const onKey = (event: KeyboardEvent): void => {
    const chosen = /^[0-9]$/.test(event.key) ? LENGTHS_S[Number(event.key)] : undefined;
    if (chosen === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (chosen === AS_IT_IS && until === null) return;
    event.preventDefault();
    setLength(chosen);
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
        {LENGTHS_S.map((one, digit) => {
          if (one === AS_IT_IS && until === null) return null;
          return (
            <label key={one} class="check">
              <input
                type="radio"
                name="length"
                value={one}
                checked={one === length}
                onChange={() => setLength(one)}
              />
              {one === AS_IT_IS && until !== null ? texts.asItIs(formatMoment(until)) : formatDuration(one)}
              <kbd>{digit}</kbd>
            </label>
          );
        })}
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

const secondsTo = (end: string | null): number =>
  Math.max(1, Math.round((Date.parse(end ?? "") - serverNow()) / 1_000));
