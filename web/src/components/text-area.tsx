import { FieldFrame } from "./field-frame.tsx";

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
  return (
    <FieldFrame label={label} hint={hint} fault={fault}>
      {(tied) => (
        <textarea
          {...rest}
          {...tied}
          rows={rows}
          dir="auto"
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </FieldFrame>
  );
}
