import type { RefObject, TextareaHTMLAttributes } from "preact";
import { isComposing } from "../components/composing.ts";
import { TEXTS } from "../texts/embedded.ts";

export type FieldProps = {
  input: RefObject<HTMLTextAreaElement | null>;
  text: string;
  label: string;
  maxLength: number;
  isInvalid: boolean;
  onText: (text: string) => void;
};

type Props = FieldProps & Omit<TextareaHTMLAttributes, "ref" | "value" | "onInput">;

/** Where a message is typed: it grows to four lines, and Enter sends it, since messages have no line breaks. */
export function MessageInput({
  input,
  text,
  label,
  maxLength,
  isInvalid,
  onText,
  onKeyDown,
  ...further
}: Props) {
  return (
    <div class="growing" data-text={text}>
      <textarea
        ref={input}
        rows={1}
        value={text}
        dir="auto"
        maxLength={maxLength}
        placeholder={TEXTS.chat.say}
        aria-label={label}
        aria-invalid={isInvalid}
        enterkeyhint="send"
        onInput={({ currentTarget }) => onText(oneLine(currentTarget))}
        onKeyDown={(event) => {
          onKeyDown?.(event);
          if (event.key !== "Enter" || isComposing(event) || event.defaultPrevented) return;
          event.preventDefault();
          // Held, it would answer a question that is asked before a command.
          if (!event.repeat) event.currentTarget.form?.requestSubmit();
        }}
        {...further}
      />
    </div>
  );
}

/** The field's text with spaces for line breaks, as of a text that was pasted. The caret stays. */
function oneLine(field: HTMLTextAreaElement): string {
  if (!field.value.includes("\n")) return field.value;
  const { selectionStart, selectionEnd } = field;
  field.value = field.value.replaceAll("\n", " ");
  field.setSelectionRange(selectionStart, selectionEnd);
  return field.value;
}
