import { useId, useState } from "preact/hooks";
import { DialogForm } from "../../components/dialog-form.tsx";
import { Field } from "../../components/field.tsx";
import { TextArea } from "../../components/text-area.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import type { Schemas } from "../../site/page-data.ts";
import { Problem } from "../../site/problems.ts";
import { useRead } from "../../site/read.ts";
import { say } from "../../site/toasts.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { nameOrGone } from "../account-link.tsx";
import { type Case, DecidedBefore, decide } from "./handle.ts";

type Measure = Schemas["MeasureType"];
/** All that can be done to staff. */
const MILD: readonly Measure[] = ["warning", "remove_content"];
const MEASURES: readonly Measure[] = [...MILD, "chat_ban", "strike", "account_ban"];
/** Where the one who is responsible may be somebody else than the room's owner, who can't be timed out there. */
const WITH_ROOM: readonly Case["target_type"][] = ["chat_message", "clip"];
/** As the service has it. docs/interface.md#8-limits */
const LONGEST_REASON = 500;
const LONGEST_NOTE = 2_000;
const DAY_S = 86_400;

export type DecisionProps = {
  one: Case;
  userId: string;
  /** It is decided, now or before. */
  onDone: () => void;
  /** What the page shows of the case is old: it was claimed. */
  onStale: () => void;
  onClose: () => void;
};

/** Decides a case with measures, which take effect together: each with the reason that the user is told. */
export function ActDialog({ one, userId, onDone, onStale, onClose }: DecisionProps) {
  const { reports } = STAFF_TEXTS;
  const subject = useRead("getUser", one.subject && { path: { account_id: one.subject.id } });
  const [chosen, setChosen] = useState<ReadonlySet<Measure>>(new Set());
  const [duration, setDuration] = useState(DAY_S);
  const [reason, setReason] = useState("");
  const [note, setNote] = useState("");
  const id = useId();
  const isStaff = subject.data?.is_staff === true;
  const hasRoom = one.stream_id !== null && WITH_ROOM.includes(one.target_type);
  const measures = MEASURES.filter(
    (type) => (!isStaff || MILD.includes(type)) && (type !== "chat_ban" || hasRoom),
  );
  const submission = useSubmit(async () => {
    const taken = measures.filter((type) => chosen.has(type));
    const told = reason.trim();
    if (taken.length === 0) throw new Problem(reports.noMeasure);
    if (told === "") throw new Problem(reports.noReason);
    await decideOrSay({ one, userId, onDone, onStale, onClose }, reports.acted, {
      action: "act",
      measures: taken.map((type) => ({
        type,
        reason: told,
        ...(type === "chat_ban" && { duration_seconds: duration }),
      })),
      ...noteOf(note),
    });
  });
  const choose = (type: Measure, isChosen: boolean): void =>
    setChosen(
      (before) => new Set([...before].filter((other) => other !== type).concat(isChosen ? type : [])),
    );
  return (
    <DialogForm
      title={reports.actTitle(nameOrGone(one.subject))}
      submission={submission}
      go={reports.act}
      isDanger
      onClose={onClose}
    >
      <fieldset class="plain">
        <legend>{reports.measuresLegend}</legend>
        {isStaff && <p class="hint">{reports.isStaff}</p>}
        {measures.map((type) => (
          <label key={type} class="check explained">
            <input
              type="checkbox"
              name={type}
              checked={chosen.has(type)}
              onChange={({ currentTarget }) => choose(type, currentTarget.checked)}
            />
            <span class="what">
              {reports.measures[type][0]}
              <span class="quiet">
                {reports.measures[type][1]}
                {type === "strike" && subject.data && ` ${reports.strikes(subject.data.live_strikes)}.`}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
      {chosen.has("chat_ban") && (
        <div class="field">
          <label htmlFor={`${id}-duration`}>{reports.duration}</label>
          <select
            id={`${id}-duration`}
            value={duration}
            onChange={({ currentTarget }) => setDuration(Number(currentTarget.value))}
          >
            {reports.durations.map(([seconds, text]) => (
              <option key={seconds} value={seconds}>
                {text}
              </option>
            ))}
          </select>
        </div>
      )}
      <Field
        name="reason"
        label={reports.reason}
        hint={reports.reasonHint}
        autoComplete="off"
        value={reason}
        onValue={setReason}
        maxLength={LONGEST_REASON}
        required
      />
      <Note note={note} onNote={setNote} />
    </DialogForm>
  );
}

/** Decides that nothing needs to be done. */
export function DismissDialog(props: DecisionProps) {
  const { reports } = STAFF_TEXTS;
  const [note, setNote] = useState("");
  const submission = useSubmit(() =>
    decideOrSay(props, reports.dismissed, { action: "dismiss", ...noteOf(note) }),
  );
  return (
    <DialogForm
      title={reports.dismissTitle(nameOrGone(props.one.subject))}
      submission={submission}
      go={reports.dismiss}
      onClose={props.onClose}
    >
      <p>{reports.dismissHint}</p>
      <Note note={note} onNote={setNote} />
    </DialogForm>
  );
}

function Note({ note, onNote }: { note: string; onNote: (note: string) => void }) {
  const { reports } = STAFF_TEXTS;
  return (
    <TextArea
      name="note"
      label={reports.note}
      hint={reports.noteHint}
      value={note}
      onValue={onNote}
      maxLength={LONGEST_NOTE}
      rows={2}
    />
  );
}

const noteOf = (note: string) => (note.trim() === "" ? {} : { note: note.trim() });

/**
 * What was decided in the meantime is said beside the page, which then shows it. After any other refusal the dialog stays, with what
 * was written; the page shows the claim.
 */
async function decideOrSay(
  { one, userId, onDone, onStale, onClose }: DecisionProps,
  said: string,
  body: Schemas["ReportHandling"],
): Promise<void> {
  try {
    await decide(one, userId, body);
    say(said);
  } catch (err) {
    if (!(err instanceof DecidedBefore)) {
      onStale();
      throw err;
    }
    say(err.message, { isProblem: true });
  }
  onDone();
  onClose();
}
