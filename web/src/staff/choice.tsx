import { useId } from "preact/hooks";

type Props<Value extends string> = {
  label: string;
  value: Value;
  /** Each value with its text. */
  options: readonly (readonly [Value, string])[];
  onValue: (value: Value) => void;
};

/** One of a list's filters, or its order. */
export function Choice<Value extends string>({ label, value, options, onValue }: Props<Value>) {
  const id = useId();
  return (
    <div class="choice">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options.find(([one]) => one === currentTarget.value);
          if (chosen) onValue(chosen[0]);
        }}
      >
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The texts by value as options. */
export const optionsOf = <Value extends string>(texts: Record<Value, string>): [Value, string][] =>
  // The keys of an object literal of texts.
  Object.entries(texts) as [Value, string][];
