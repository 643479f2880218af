import { useId } from "preact/hooks";

type Props = {
  name: string;
  label: string;
  value: string;
  onValue: (value: string) => void;
  hint?: string;
  /** What is wrong with it; null if nothing is. */
  fault?: string | null;
  maxLength: number;
  minLength?: number;
  rows?: number;
  required?: boolean;
};

/** An input of several lines with its label, a hint, its length and what is wrong with it. */
export function TextArea({ label, value, onValue, hint, fault = null, rows = 4, ...rest }: Props) {
  const id = useId();
  const described = [hint === undefined ? "" : `${id}-hint`, fault === null ? "" : `${id}-fault`];
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        {...rest}
        id={id}
        rows={rows}
        dir="auto"
        value={value}
        aria-invalid={fault !== null}
        aria-describedby={described.join(" ").trim() || undefined}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
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
