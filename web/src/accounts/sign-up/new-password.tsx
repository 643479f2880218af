import { Field } from "../../components/field.tsx";
import { TEXTS } from "../../texts/texts.ts";
import { useSignUpCheck } from "./sign-up-check.ts";

type Props = {
  name: string;
  label: string;
  value: string;
  onValue: (value: string) => void;
  fault: string | null;
  /** Whose it will be: it mustn't be guessed from the name. */
  username?: string;
};

/** How many marks the meter has. */
const MARKS = [1, 2, 3, 4];
const LONGEST = 128;

/** A new password, and how hard it is to guess. */
export function NewPassword({ username, ...field }: Props) {
  const { accounts } = TEXTS;
  const { value } = field;
  const check = useSignUpCheck({ password: value, ...(username && value !== "" ? { username } : {}) });
  const { score = 0, is_accepted = false, hint = null } = check?.password ?? {};
  const word = accounts.strengths[score];
  return (
    <>
      <Field
        {...field}
        hint={accounts.passwordHint}
        maxLength={LONGEST}
        autoComplete="new-password"
        isSecret
        required
      />
      <div class="strength" data-accepted={is_accepted} hidden={value === ""}>
        <span class="marks" aria-hidden="true">
          {MARKS.map((mark) => (
            <span key={mark} data-on={check !== null && score >= mark} />
          ))}
        </span>
        <p role="status">
          {check?.password && word !== undefined && accounts.strength(word)}
          {hint !== null && ` ${accounts.passwordHints[hint]}`}
        </p>
      </div>
    </>
  );
}
