import { FieldFrame } from "../../components/field-frame.tsx";

type Props = {
  name: string;
  label: string;
  /** A day, or with its time: as the browser's input has it. */
  type: "date" | "datetime-local";
  value: string;
  onValue: (value: string) => void;
  hint?: string;
  fault?: string | null;
};

/** A day or a moment to choose, in the reader's own zone. */
export function DateField({ name, label, type, value, onValue, hint, fault = null }: Props) {
  return (
    <FieldFrame label={label} hint={hint} fault={fault}>
      {(tied) => (
        <input
          {...tied}
          name={name}
          type={type}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </FieldFrame>
  );
}
