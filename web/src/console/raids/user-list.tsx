import { ArrowDown, ArrowUp, X } from "lucide";
import { nameOf } from "../../components/avatar.tsx";
import { ChannelLink } from "../../components/channel-link.tsx";
import { Icon } from "../../components/icon.tsx";
import type { Schemas } from "../../site/page-data.ts";
import { problemOf } from "../../site/problems.ts";
import { say } from "../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { AddUser } from "../add-user.tsx";

type User = Schemas["UserSummary"];
type Change = (users: readonly User[]) => readonly User[];
type Props = {
  users: readonly User[];
  /** Instead of no users. */
  empty: string;
  /** Whether the order matters. */
  isOrdered?: boolean;
  /** Changes the list as it is by then. Rejects with what refused it. */
  onChange: (change: Change) => Promise<void>;
};

/** A list of channels that is kept as a whole: names are added, removed, and where it matters moved. */
export function UserList({ users, empty, isOrdered = false, onChange }: Props) {
  const texts = CONSOLE_TEXTS.raids;
  const change = (to: Change): void =>
    void onChange(to).catch((err: unknown) => say(problemOf(err), { isProblem: true }));
  const acts = ({ id }: User, at: number) =>
    [
      ...(isOrdered && at > 0 ? [["up", ArrowUp, moved(id, -1)] as const] : []),
      ...(isOrdered && at < users.length - 1 ? [["down", ArrowDown, moved(id, 1)] as const] : []),
      ["removeOf", X, (now: readonly User[]) => now.filter((one) => one.id !== id)] as const,
    ] as const;
  return (
    <>
      {users.length === 0 ? (
        <p>{empty}</p>
      ) : (
        <ol class="rows users">
          {users.map((user, at) => (
            <li key={user.id}>
              <span class="what">
                <ChannelLink channel={user} gone={user.username} />
              </span>
              {acts(user, at).map(([act, icon, to]) => (
                <button
                  key={act}
                  type="button"
                  class="button quiet"
                  aria-label={texts[act](nameOf(user))}
                  onClick={() => change(to)}
                >
                  <Icon of={icon} />
                </button>
              ))}
            </li>
          ))}
        </ol>
      )}
      <AddUser
        onUser={(user) => onChange((now) => (now.some(({ id }) => id === user.id) ? now : [...now, user]))}
      />
    </>
  );
}

const moved =
  (id: string, by: 1 | -1): Change =>
  (users) => {
    const from = users.findIndex((one) => one.id === id);
    if (from === -1) return users;
    const others = users.filter((one) => one.id !== id);
    // The list may have changed since the button was shown: what is first by now stays there.
    const to = Math.max(0, from + by);
    return [...others.slice(0, to), ...users.slice(from, from + 1), ...others.slice(to)];
  };
