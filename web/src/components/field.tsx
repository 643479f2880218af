import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { TEXTS } from "../texts/texts.ts";

type Props = {
  name: string;
  type?: "text" | "email";
  autoComplete: string;
  inputMode?: "numeric" | "decimal" | "text";
  maxLength?: number;
  required?: boolean;
  autoFocus?: boolean;
  label: string;
  value: string;
  onValue: (value: string) => void;
  /** What to know before it is filled in. */
  hint?: ComponentChildren;
  /** What is wrong with it; null if nothing is. */
  fault?: string | null;
  /** Shows its letters only if the reader wants that. */
  isSecret?: boolean;
};

/** An input with its label, a hint and what is wrong with it. */
export function Field({
  label,
  value,
  onValue,
  hint,
  fault = null,
  isSecret = false,
  type = "text",
  ...rest
}: Props) {
  const id = useId();
  const [isShown, show] = useState(false);
  const described = [hint === undefined ? "" : `${id}-hint`, fault === null ? "" : `${id}-fault`];
  const input = {
    ...rest,
    id,
    value,
    "aria-invalid": fault !== null,
    "aria-describedby": described.join(" ").trim() || undefined,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onValue(currentTarget.value),
  };
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <div class="control">
        {isSecret && !isShown && <input {...input} type="password" />}
        {!(isSecret && !isShown) &&
          (type === "email" ? <input {...input} type="email" /> : <input {...input} type="text" />)}
        {isSecret && (
          <button type="button" class="button quiet" aria-pressed={isShown} onClick={() => show(!isShown)}>
            {isShown ? TEXTS.hide : TEXTS.show}
          </button>
        )}
      </div>
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {fault !== null && (
        <p id={`${id}-fault`} class="fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
