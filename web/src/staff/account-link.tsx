import { nameOf } from "../components/avatar.tsx";
import { type Schemas, to } from "../site/page-data.ts";
import { STAFF_TEXTS } from "../texts/staff-texts.ts";
import { accountPath } from "./sections.ts";

type User = Schemas["UserSummary"] | null;

/** The name of a user, or that the account is gone. */
export const nameOrGone = (user: User): string => (user ? nameOf(user) : STAFF_TEXTS.frame.goneUser);

/** A user's name, which leads to what staff know of the account. */
export function AccountLink({ user }: { user: User }) {
  if (!user) return STAFF_TEXTS.frame.goneUser;
  return (
    <a href={to(accountPath(user.id))}>
      <bdi>{nameOf(user)}</bdi>
    </a>
  );
}
