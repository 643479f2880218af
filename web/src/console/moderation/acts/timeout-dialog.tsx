import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { Field } from "../../../components/field.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { formatMoment } from "../../../formats/dates.ts";
import { formatDuration } from "../../../formats/durations.ts";
import { Problem } from "../../../site/problems.ts";
import { serverNow } from "../../../site/service-clock.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { type ActProps, LONGEST_REASON, reasonOf } from "./act-props.ts";
import { useInForce } from "./in-force.ts";

/** Stands for the end that a timeout has already. */
const AS_IT_IS = 0;
/** Seconds, by the digit that chooses them. */
const LENGTHS_S: readonly number[] = [AS_IT_IS, 60, 600, 1_800, 3_600, 86_400, 604_800, 1_209_600];
const USUAL_S = 600;

/**
 * Asks for how long: a digit chooses, Enter sends. A timeout in force keeps its end and its reason unless others are chosen, also one that
 * began while this was open.
 */
export function TimeoutDialog(props: ActProps) {
  const { streamId, user, onDone = say, onClose } = props;
  const texts = CONSOLE_TEXTS.moderation.acts;
  const { known, show, readNow } = useInForce(props);
  const [chosen, choose] = useState<number | null>(null);
  const [typed, type] = useState<string | null>(null);
  const until = known?.expires_at ?? null;
  const length = lengthOf(chosen, until);
  const list = useRef<HTMLFieldSetElement>(null);
  const focus = (one: number): void =>
    list.current?.querySelector<HTMLElement>(`input[value="${one}"]`)?.focus();
  // After the dialog has been opened: digits and arrows choose at once.
  useLayoutEffect(() => focus(length), []);
  useLayoutEffect(() => {
    const { activeElement: at } = document;
    if (at === document.body || list.current?.contains(at)) focus(length);
  }, [length]);
  const submission = useSubmit(async () => {
    const path = { stream_id: streamId, user_id: user.id };
    const now = await readNow();
    if (now?.type === "ban") throw new Problem(texts.isBanned(user.username));
    const end = now?.expires_at ?? null;
    const isOther = known !== undefined && end !== until;
    if (isOther && (end !== null || length === AS_IT_IS)) {
      show(now);
      choose(length === AS_IT_IS ? null : chosen);
      throw new Problem(end === null ? texts.ended : texts.nowUntil(formatMoment(end)));
    }
    const wanted = lengthOf(chosen, end);
    const reason = (typed ?? now?.reason ?? "").trim();
    const seconds = wanted === AS_IT_IS ? secondsTo(end) : wanted;
    // Sent again, its end would be rounded.
    if (wanted !== AS_IT_IS || reason !== (now?.reason ?? ""))
      await client.call("timeoutUser", { path, body: { duration_seconds: seconds, ...reasonOf(reason) } });
    onClose();
    onDone(TEXTS.userCard.timedOut(user.username, seconds));
  });
  const onKey = (event: KeyboardEvent): void => {
    const one = /^[0-9]$/.test(event.key) ? LENGTHS_S[Number(event.key)] : undefined;
    if (one === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (one === AS_IT_IS && until === null) return;
    event.preventDefault();
    choose(one);
    focus(one);
  };
  return (
    <DialogForm
      title={texts.timeOutTitle(user.username)}
      submission={submission}
      go={texts.timeOut}
      isDanger
      onClose={onClose}
    >
      {known?.type === "ban" && <p>{texts.isBanned(user.username)}</p>}
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
                onChange={() => choose(one)}
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
        value={typed ?? (known?.type === "timeout" ? known.reason : null) ?? ""}
        onValue={type}
      />
    </DialogForm>
  );
}

const lengthOf = (chosen: number | null, until: string | null): number =>
  chosen ?? (until === null ? USUAL_S : AS_IT_IS);

const secondsTo = (end: string | null): number =>
  Math.max(1, Math.round((Date.parse(end ?? "") - serverNow()) / 1_000));
