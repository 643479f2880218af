import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** By what a control is tied to its label, its hint and what is wrong with it. */
type Tied = { id: string; "aria-invalid": boolean; "aria-describedby": string | undefined };
type Props = {
  label: string;
  /** What to know before it is filled in. */
  hint?: ComponentChildren;
  /** What is wrong with it; null if nothing is. */
  fault: string | null;
  children: (tied: Tied) => ComponentChildren;
};

/** What stands around a control in a form. */
export function FieldFrame({ label, hint, fault, children }: Props) {
  const id = useId();
  const described = [hint === undefined ? "" : `${id}-hint`, fault === null ? "" : `${id}-fault`];
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-invalid": fault !== null,
        "aria-describedby": described.join(" ").trim() || undefined,
      })}
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
