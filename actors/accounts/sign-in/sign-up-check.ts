import type { Clock } from "../../../base/clock.ts";
import { readOpenApi } from "../../../contract/openapi-document.ts";
import type { Users } from "../../../store/mongo/accounts/users.ts";
import type { PasswordFault, Passwords } from "../passwords/passwords.ts";
import { SIGN_UP_CHECK } from "../passwords/strength/strength.ts";
import { isReservedName } from "../profile/reserved-names.ts";

type NameState = "available" | "taken" | "reserved" | "invalid";
type PasswordCheck = { score: number; isAccepted: boolean; hint: PasswordFault | "too_short" | null };

/** The rules of the document, which `register` has before its handler. */
const { NewUsername, RegisterRequest } = readOpenApi().components.schemas;
const NAME = new RegExp(String(NewUsername?.pattern), "u");
const LEAST_LENGTH = Number(Object(RegisterRequest?.properties).password?.minLength);
if (!NewUsername?.pattern || !Number.isInteger(LEAST_LENGTH))
  throw new Error("The document doesn't say what usernames and passwords of new accounts are like.");

type Deps = { users: Pick<Users, "isNameTaken">; passwords: Pick<Passwords, "assess">; clock: Clock };

/** Says of a name and a password what `register` would say of them, while they are typed. */
export function createSignUpCheck({ users, passwords, clock }: Deps) {
  async function nameState(typed: string): Promise<NameState> {
    if (!NAME.test(typed)) return "invalid";
    const username = typed.toLowerCase();
    if (isReservedName(username)) return "reserved";
    return (await users.isNameTaken(username, new Date(clock.now()))) ? "taken" : "available";
  }

  async function checkPassword(password: string, username: string): Promise<PasswordCheck> {
    if ([...password].length < LEAST_LENGTH) return { score: 0, isAccepted: false, hint: "too_short" };
    const { score, fault } = await passwords.assess(password, { username, email: "" }, SIGN_UP_CHECK);
    return { score, isAccepted: fault === null, hint: fault };
  }

  return async ({ username, password }: { username?: string | undefined; password?: string | undefined }) => {
    const [name, checked] = await Promise.all([
      username === undefined ? null : nameState(username),
      password === undefined ? null : checkPassword(password, username ?? ""),
    ]);
    return { name, password: checked };
  };
}

export type SignUpCheck = ReturnType<typeof createSignUpCheck>;
