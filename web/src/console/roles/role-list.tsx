import { useState } from "preact/hooks";
import { ChannelLink } from "../../components/channel-link.tsx";
import { Loaded } from "../../components/loaded.tsx";
import type { Schemas } from "../../site/page-data.ts";
import { More, usePaged } from "../../site/paged.tsx";
import { problemOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { AddUser } from "../add-user.tsx";
import { Panel } from "../panel.tsx";

type Member = Schemas["RoomMember"];
type Room = { stream_id: string };
const OPERATIONS = {
  moderators: {
    usePages: (path: Room) => usePaged("listModerators", { path }),
    add: "addModerator",
    remove: "removeModerator",
  },
  vips: {
    usePages: (path: Room) => usePaged("listVips", { path }),
    add: "addVip",
    remove: "removeVip",
  },
} as const;
type Props = { streamId: string; list: keyof typeof OPERATIONS };

/** Who has a role in the channel, and what gives and takes it. */
export function RoleList({ streamId, list }: Props) {
  const texts = CONSOLE_TEXTS.roles[list];
  const operations = OPERATIONS[list];
  const { items, ...pages } = operations.usePages({ stream_id: streamId });
  /** Members that this page has added or removed since the list was read. */
  const [changed, setChanged] = useState<ReadonlyMap<string, Member | null>>(new Map());
  const change = (userId: string, to: Member | null): void =>
    setChanged((before) => new Map([...before, [userId, to]]));
  const added = [...changed.values()].filter((one) => one !== null);
  const shown = [...added, ...items.filter((one) => !changed.has(one.id))];
  const remove = async (member: Member): Promise<void> => {
    change(member.id, null);
    try {
      await client.call(operations.remove, { path: { stream_id: streamId, user_id: member.id } });
      say(texts.removed(member.username));
    } catch (err) {
      change(member.id, member);
      say(problemOf(err), { isProblem: true });
    }
  };
  return (
    <Panel title={texts.title}>
      <p class="quiet">{texts.hint}</p>
      <AddUser
        onUser={async ({ id: user_id, username }) => {
          await client.call(operations.add, { path: { stream_id: streamId, user_id } });
          change(user_id, { id: user_id, username });
          say(texts.added(username));
        }}
      />
      <Loaded read={pages.first}>
        {() =>
          shown.length === 0 && !pages.hasMore ? (
            <p>{texts.none}</p>
          ) : (
            <ul class="rows">
              {shown.map((member) => (
                <li key={member.id}>
                  <span class="what">
                    <ChannelLink channel={{ ...member, username_title: null }} gone={member.username} />
                  </span>
                  <button
                    type="button"
                    class="button quiet"
                    aria-label={texts.removeOf(member.username)}
                    onClick={() => void remove(member)}
                  >
                    {CONSOLE_TEXTS.roles.remove}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <More pages={pages} />
    </Panel>
  );
}
