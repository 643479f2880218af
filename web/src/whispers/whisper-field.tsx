import { LivecoreError } from "@livecore/client";
import { useRef, useState } from "preact/hooks";
import { sendWhisper } from "../chat/send-whisper.ts";
import { useSubmit } from "../components/use-submit.ts";
import { AttemptKey } from "../site/attempt-key.ts";
import { to } from "../site/page-data.ts";
import { problemOf } from "../site/problems.ts";
import { TEXTS } from "../texts/texts.ts";

/** In code points; a field counts UTF-16 units, of which one may take two. */
const LONGEST_UNITS = 1_000;

/** Where one writes to a user. What wasn't sent stays in it, with the reason. */
export function WhisperField({ userId, name }: { userId: string; name: string }) {
  const { whispers } = TEXTS;
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const { current: attempt } = useRef(new AttemptKey());
  const { isBusy, refusal, submit, reset } = useSubmit(async () => {
    if (text.trim() === "") return;
    await sendWhisper(attempt, userId, text);
    // What was typed in the meantime is the next one.
    setText((now) => (now === text ? "" : now));
    field.current?.focus();
  });
  const sendByEnter = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    void submit(event);
  };
  return (
    <form class="write" onSubmit={(event) => void submit(event)}>
      {refusal !== null && <Refusal refusal={refusal} name={name} />}
      <textarea
        ref={field}
        name="whisper"
        rows={2}
        dir="auto"
        maxLength={LONGEST_UNITS}
        aria-label={whispers.field(name)}
        placeholder={whispers.field(name)}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          if (refusal !== null) reset();
        }}
        onKeyDown={sendByEnter}
      />
      <button type="submit" class="button" aria-busy={isBusy}>
        {whispers.send}
      </button>
    </form>
  );
}

function Refusal({ refusal, name }: { refusal: unknown; name: string }) {
  const { notSent, refusals } = TEXTS.whispers;
  const code = refusal instanceof LivecoreError ? refusal.code : null;
  const why = (): string => {
    if (code === "blocked") return refusals.blocked(name);
    if (code === "forbidden") return refusals.forbidden(name);
    return code === "email_not_verified" ? refusals.email_not_verified : problemOf(refusal);
  };
  return (
    <p class="fault" role="alert">
      {notSent(why())}{" "}
      {code === "email_not_verified" && <a href={to("/settings/account")}>{refusals.verify}</a>}
    </p>
  );
}
