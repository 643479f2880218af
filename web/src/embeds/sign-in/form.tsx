import type { ComponentChildren, Ref } from "preact";
import { TEXTS } from "../../texts/embedded.ts";

const { signIn } = TEXTS;

type CardProps = { place?: Ref<HTMLElement>; children: ComponentChildren };
export const Card = ({ place = null, children }: CardProps) => (
  <main class="sign-in" ref={place}>
    {children}
  </main>
);

type FieldProps = { name: string; label: string; isSecret?: boolean; autocomplete: string };

function Field({ name, label, isSecret = false, autocomplete }: FieldProps) {
  const rest = { name, autocomplete, required: true };
  return (
    <label htmlFor={name}>
      {label}
      {isSecret ? <input id={name} type="password" {...rest} /> : <input id={name} type="text" {...rest} />}
    </label>
  );
}

type FormProps = { isBusy: boolean; onSubmit: (event: SubmitEvent) => void };

export const PasswordForm = ({ isBusy, onSubmit }: FormProps) => (
  <form onSubmit={onSubmit}>
    <h1>{signIn.title}</h1>
    <Field name="login" label={signIn.login} autocomplete="username" />
    <Field name="password" label={signIn.password} isSecret autocomplete="current-password" />
    <button type="submit" aria-disabled={isBusy}>
      {signIn.go}
    </button>
  </form>
);

export const CodeForm = ({ isBusy, onSubmit }: FormProps) => (
  <form onSubmit={onSubmit}>
    <h1>{signIn.codeTitle}</h1>
    <Field name="code" label={signIn.code} autocomplete="one-time-code" />
    <button type="submit" aria-disabled={isBusy}>
      {signIn.go}
    </button>
  </form>
);

/** The values of a form that is submitted. */
export function fieldsOf({ currentTarget }: SubmitEvent): Record<string, string> {
  if (!(currentTarget instanceof HTMLFormElement)) return {};
  return Object.fromEntries([...new FormData(currentTarget)].map(([name, value]) => [name, String(value)]));
}
