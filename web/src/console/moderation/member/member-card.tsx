import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Outcome } from "../../../chat/outcome.ts";
import { Avatar, nameOf } from "../../../components/avatar.tsx";
import { Countdown } from "../../../components/countdown.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Loaded } from "../../../components/loaded.tsx";
import { formatDate } from "../../../formats/dates.ts";
import { formatCount } from "../../../formats/numbers.ts";
import { type Schemas, to } from "../../../site/page-data.ts";
import { useRead } from "../../../site/read.ts";
import { me } from "../../../site/session.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { useRoomTopic, whenRoomMissed } from "../../room-topic.ts";
import { type Target, useDesk } from "../desk.ts";
import { DeleteNote } from "./delete-note.tsx";
import { MemberActs } from "./member-acts.tsx";
import { MemberLog } from "./member-log.tsx";
import { MemberMessages } from "./member-messages.tsx";
import { MemberNotes } from "./member-notes.tsx";
import "./member-card.css";

type Asked = { note: Schemas["MemberNote"]; onDone: () => void };

/** What the room's moderators know of a user, and what they may do about them, as it is now. */
export function MemberCard({ user, onClose }: { user: Target; onClose: () => void }) {
  const texts = CONSOLE_TEXTS.moderation.card;
  const { streamId, role } = useDesk();
  const [asked, ask] = useState<Asked | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const report = (text: string, isProblem = false): void => setOutcome({ text, isProblem });
  const path = { stream_id: streamId, user_id: user.id };
  const read = useRead("getChatMember", { path });
  const profile = useRead("getPublicProfile", { path: { username: user.username } });
  useRoomTopic(streamId, (room) => [
    ...whenRoomMissed(room, read.again),
    room.on("mod.action", ({ data }) => data.target?.id === user.id && read.again()),
  ]);
  return (
    <>
      <Dialog title={texts.title(user.username)} kind="member-card" isLightDismissed onClose={onClose}>
        <header>
          <Avatar
            user={profile.data ?? { username: user.username, username_title: null, image_url: null }}
            isLarge
          />
          <h2 dir="auto">
            <a href={to(user.username)}>{profile.data ? nameOf(profile.data) : user.username}</a>
          </h2>
        </header>
        <Loaded read={read}>
          {(member) => (
            <>
              <dl class="facts">
                <Fact name={texts.role}>
                  {member.role === null ? texts.viewer : TEXTS.userCard.roles[member.role]}
                </Fact>
                <Fact name={texts.follows}>
                  {member.followed_at === null ? texts.followsNot : formatDate(member.followed_at)}
                </Fact>
                <Fact name={texts.points}>{formatCount(member.balance)}</Fact>
                <Fact name={texts.now}>
                  {member.restriction === null ? (
                    texts.free
                  ) : member.restriction.expires_at === null ? (
                    <b class="bad">{texts.banned}</b>
                  ) : (
                    <b class="bad">
                      {texts.timedOut} <Countdown until={Date.parse(member.restriction.expires_at)} />
                    </b>
                  )}
                  {member.restriction?.reason && (
                    <>
                      {" · "}
                      <bdi>{member.restriction.reason}</bdi>
                    </>
                  )}
                </Fact>
              </dl>
              <MemberActs user={user} member={member} report={report} />
              {/* The page's own messages can't be heard beside a dialog. */}
              <p class={outcome?.isProblem ? "outcome fault" : "outcome"} role="status">
                {outcome?.text}
              </p>
              {/* What others noted about oneself isn't for oneself. */}
              {(user.id !== me.value?.id || role === "owner") && (
                <MemberNotes user={user} report={report} onDelete={(note, onDone) => ask({ note, onDone })} />
              )}
              <MemberMessages user={user} report={report} />
              <MemberLog actions={member.actions} />
            </>
          )}
        </Loaded>
      </Dialog>
      {asked && <DeleteNote user={user} {...asked} onClose={() => ask(null)} />}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
