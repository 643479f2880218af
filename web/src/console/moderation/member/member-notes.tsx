import { useRef, useState } from "preact/hooks";
import { nameOf } from "../../../components/avatar.tsx";
import { Loaded } from "../../../components/loaded.tsx";
import { Refused } from "../../../components/refused.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { formatMoment, formatSaid } from "../../../formats/dates.ts";
import { AttemptKey } from "../../../site/attempt-key.ts";
import { useNewestFirst } from "../../../site/newest-first.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { More } from "../../../site/paged.tsx";
import { client, me } from "../../../site/session.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { useKeptFocus } from "../../kept-focus.ts";
import { useRoomTopic, whenRoomMissed } from "../../room-topic.ts";
import { type Target, useDesk } from "../desk.ts";

/** As the service has it. docs/interface.md#8-limits */
const LONGEST_NOTE = 500;

type Props = {
  user: Target;
  report: (done: string) => void;
  /** Asks before it is deleted. */
  onDelete: (note: Schemas["MemberNote"], onDone: () => void) => void;
};

/** What the channel's moderators noted about a user, newest first. */
export function MemberNotes({ user, report, onDelete }: Props) {
  const texts = CONSOLE_TEXTS.moderation.notes;
  const { streamId, role } = useDesk();
  const path = { stream_id: streamId, user_id: user.id };
  const notes = useNewestFirst("listMemberNotes", { path }, ({ id }) => id);
  const { first, items } = notes;
  useRoomTopic(streamId, (room) => [
    ...whenRoomMissed(room, first.again),
    room.on("mod.notes", ({ data }) => data.user_id === user.id && first.again()),
  ]);
  const [text, setText] = useState("");
  const { current: key } = useRef(new AttemptKey());
  const section = useRef<HTMLElement>(null);
  useKeptFocus(section);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const body = { text: text.trim() };
    if (body.text === "") return;
    const made = await key.once(body, (idempotencyKey) =>
      client.call("createMemberNote", { path, body, idempotencyKey }),
    );
    notes.change((before) => [made, ...before]);
    setText("");
    report(texts.added);
  });
  const removed = (note: Schemas["MemberNote"]): void => {
    notes.change((before) => before.filter(({ id }) => id !== note.id));
    report(texts.deleted);
  };
  return (
    <section ref={section} aria-label={texts.title} tabIndex={-1}>
      <h3>{texts.title}</h3>
      <Loaded read={first}>
        {() =>
          items.length === 0 ? (
            <p class="quiet">{texts.empty}</p>
          ) : (
            <ul class="notes">
              {items.map((note) => (
                <li key={note.id}>
                  <span class="what">
                    <span class="text" dir="auto">
                      {note.text}
                    </span>
                    <span class="quiet">
                      <bdi>{nameOf(note.author)}</bdi>
                      {" · "}
                      <time dateTime={note.created_at} title={formatMoment(note.created_at)}>
                        {formatSaid(note.created_at)}
                      </time>
                    </span>
                  </span>
                  {(note.author.id === me.value?.id || role === "owner") && (
                    <button
                      type="button"
                      class="button quiet"
                      aria-label={texts.deleteOf(nameOf(note.author))}
                      onClick={() => onDelete(note, () => removed(note))}
                    >
                      {texts.delete}
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <More pages={notes} />
      <form onSubmit={(event) => void submit(event)}>
        <TextArea
          name="note"
          label={texts.add}
          hint={texts.hint}
          maxLength={LONGEST_NOTE}
          rows={2}
          value={text}
          onValue={setText}
        />
        <Refused refusal={refusal} />
        <button type="submit" class="button quiet" aria-disabled={isBusy}>
          {texts.go}
        </button>
      </form>
    </section>
  );
}
