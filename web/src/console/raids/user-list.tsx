import { ArrowDown, ArrowUp, X } from "lucide";
import { nameOf } from "../../components/avatar.tsx";
import { ChannelLink } from "../../components/channel-link.tsx";
import { Icon } from "../../components/icon.tsx";
import { useOneAtATime } from "../../components/one-at-a-time.ts";
import type { Schemas } from "../../site/page-data.ts";
import { problemOf } from "../../site/problems.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { AddUser } from "../add-user.tsx";

type User = Schemas["UserSummary"];
type Props = {
  users: readonly User[];
  /** Instead of no users. */
  empty: string;
  /** Whether the order matters. */
  isOrdered?: boolean;
  /** Rejects with what refused it. */
  onChange: (users: readonly User[]) => Promise<void>;
};

/** A list of channels that is kept as a whole: names are added, removed, and where it matters moved. */
export function UserList({ users, empty, isOrdered = false, onChange }: Props) {
  const texts = TEXTS.consoleRaids;
  const { isBusy, run } = useOneAtATime();
  const change = (to: readonly User[]): void =>
    void run(async () => {
      try {
        await onChange(to);
      } catch (err) {
        say(problemOf(err), { isProblem: true });
      }
    });
  const acts = (user: User, at: number) =>
    [
      ...(isOrdered && at > 0 ? [["up", ArrowUp, moved(users, at, at - 1)] as const] : []),
      ...(isOrdered && at < users.length - 1 ? [["down", ArrowDown, moved(users, at, at + 1)] as const] : []),
      ["removeOf", X, users.filter(({ id }) => id !== user.id)] as const,
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
                  aria-disabled={isBusy}
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
        onUser={async (user) => {
          if (!users.some(({ id }) => id === user.id)) await onChange([...users, user]);
        }}
      />
    </>
  );
}

function moved(users: readonly User[], from: number, to: number): readonly User[] {
  const others = users.filter((_, at) => at !== from);
  return [...others.slice(0, to), ...users.slice(from, from + 1), ...others.slice(to)];
}
