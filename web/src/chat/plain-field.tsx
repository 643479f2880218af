import type { RefObject } from "preact";

export type FieldProps = {
  input: RefObject<HTMLInputElement | null>;
  text: string;
  label: string;
  maxLength: number;
  isInvalid: boolean;
  onText: (text: string) => void;
};

/** The input for a message. */
export function PlainField({ input, text, label, maxLength, isInvalid, onText }: FieldProps) {
  return (
    <div class="draft">
      <input
        ref={input}
        value={text}
        dir="auto"
        maxLength={maxLength}
        placeholder={label}
        aria-label={label}
        aria-invalid={isInvalid}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </div>
  );
}
