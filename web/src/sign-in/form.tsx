import type { ComponentChildren, Ref } from "preact";

type CardProps = { place?: Ref<HTMLElement>; children: ComponentChildren };
export const Card = ({ place = null, children }: CardProps) => (
  <main class="sign-in" ref={place}>
    {children}
  </main>
);

type FieldProps = { name: string; label: string; isSecret?: boolean; autocomplete: string };

export function Field({ name, label, isSecret = false, autocomplete }: FieldProps) {
  const rest = { name, autocomplete, required: true };
  return (
    <label htmlFor={name}>
      {label}
      {isSecret ? <input id={name} type="password" {...rest} /> : <input id={name} type="text" {...rest} />}
    </label>
  );
}

/** The values of a form that is submitted. */
export function fieldsOf({ currentTarget }: SubmitEvent): Record<string, string> {
  if (!(currentTarget instanceof HTMLFormElement)) return {};
  return Object.fromEntries([...new FormData(currentTarget)].map(([name, value]) => [name, String(value)]));
}
