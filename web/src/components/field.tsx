import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { TEXTS } from "../texts/texts.ts";
import { FieldFrame } from "./field-frame.tsx";

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
  const [isShown, show] = useState(false);
  return (
    <FieldFrame label={label} hint={hint} fault={fault}>
      {(tied) => {
        const input = {
          ...rest,
          ...tied,
          value,
          onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onValue(currentTarget.value),
        };
        return (
          <div class="control">
            {isSecret && !isShown && <input {...input} type="password" />}
            {!(isSecret && !isShown) &&
              (type === "email" ? <input {...input} type="email" /> : <input {...input} type="text" />)}
            {isSecret && (
              <button
                type="button"
                class="button quiet"
                aria-pressed={isShown}
                onClick={() => show(!isShown)}
              >
                {isShown ? TEXTS.hide : TEXTS.show}
              </button>
            )}
          </div>
        );
      }}
    </FieldFrame>
  );
}
