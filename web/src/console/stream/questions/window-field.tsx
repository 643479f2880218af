import { FieldFrame } from "../../../components/field-frame.tsx";
import { formatDuration } from "../../../formats/durations.ts";

type Props = {
  label: string;
  /** Those that are offered, seconds. */
  windows: readonly number[];
  seconds: number;
  onSeconds: (seconds: number) => void;
};

/** How long viewers may answer. */
export function WindowField({ label, windows, seconds, onSeconds }: Props) {
  const offered = windows.includes(seconds) ? windows : [...windows, seconds].sort((a, b) => a - b);
  return (
    <FieldFrame label={label} fault={null}>
      {(tied) => (
        <select
          {...tied}
          value={seconds}
          onChange={({ currentTarget }) => onSeconds(Number(currentTarget.value))}
        >
          {offered.map((one) => (
            <option key={one} value={one}>
              {formatDuration(one)}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}
