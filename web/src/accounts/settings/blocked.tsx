import { useState } from "preact/hooks";
import { Avatar, nameOf } from "../../components/avatar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { SettingsPage } from "../../components/settings-page.tsx";
import { type Schemas, to } from "../../site/page-data.ts";
import { More, usePaged } from "../../site/paged.tsx";
import { problemOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";

/** Whom the user has blocked. */
export const BlockedSettings = () => <SettingsPage section="blocked">{() => <Blocked />}</SettingsPage>;

function Blocked() {
  const { blocked } = TEXTS.settings;
  const { items, ...pages } = usePaged("listMyBlocks", {});
  const [lifted, setLifted] = useState<ReadonlySet<string>>(new Set());
  const lift = async (user: Schemas["UserSummary"]): Promise<void> => {
    setLifted((before) => new Set([...before, user.id]));
    try {
      await client.call("unblockUser", { path: { user_id: user.id } });
      say(blocked.unblocked(nameOf(user)));
    } catch (err) {
      setLifted((before) => new Set([...before].filter((id) => id !== user.id)));
      say(problemOf(err), { isProblem: true });
    }
  };
  const shown = items.filter(({ id }) => !lifted.has(id));
  return (
    <section class="box">
      <p>{blocked.hint}</p>
      <Loaded read={pages.first}>
        {() =>
          shown.length === 0 && !pages.hasMore ? (
            <p class="quiet">{blocked.none}</p>
          ) : (
            <ul class="rows">
              {shown.map((user) => (
                <li key={user.id}>
                  <Avatar user={user} />
                  <a class="what" href={to(user.username)}>
                    <bdi>{nameOf(user)}</bdi>
                  </a>
                  <button
                    type="button"
                    class="button quiet"
                    aria-label={blocked.unblockOf(nameOf(user))}
                    onClick={() => void lift(user)}
                  >
                    {blocked.unblock}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <More pages={pages} />
    </section>
  );
}
