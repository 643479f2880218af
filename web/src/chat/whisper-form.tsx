import { useEffect, useRef, useState } from "preact/hooks";
import { AttemptKey } from "../site/attempt-key.ts";
import { to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";
import type { Attempt } from "./outcome.ts";
import { sendWhisper } from "./send-whisper.ts";

const LONGEST_UNITS = 1_000;

type Props = {
  userId: string;
  username: string;
  name: string;
  isBusy: boolean;
  attempt: Attempt;
  onSent: () => void;
};

/** Writes to one user alone. */
export function WhisperForm({ userId, username, name, isBusy, attempt, onSent }: Props) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const { current: key } = useRef(new AttemptKey());
  const { userCard } = TEXTS;
  useEffect(() => field.current?.focus(), []);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (text.trim() === "" || isBusy) return;
    if (await attempt(() => sendWhisper(key, userId, text), userCard.whisperSent(name))) onSent();
  };
  return (
    <form class="whisper" onSubmit={(event) => void send(event)}>
      <textarea
        ref={field}
        rows={2}
        dir="auto"
        maxLength={LONGEST_UNITS}
        aria-label={userCard.whisperTo(name)}
        placeholder={userCard.whisperTo(name)}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit" class="button" aria-busy={isBusy}>
        {userCard.sendWhisper}
      </button>
      <a href={to(`/whispers/${username}`)}>{TEXTS.whispers.all(name)}</a>
    </form>
  );
}
