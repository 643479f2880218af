import { useState } from "preact/hooks";
import { Field } from "../../components/field.tsx";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { Problem } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { Choice, optionsOf } from "../choice.tsx";
import { StaffPage } from "../staff-page.tsx";
import { type LogFilter, LogRows } from "./log-rows.tsx";

type Event = NonNullable<LogFilter["event"]>;

/** What staff did and what they opened. */
export const StaffAudit = () => <StaffPage section="audit">{() => <Log />}</StaffPage>;

function Log() {
  const { audit, frame } = STAFF_TEXTS;
  const [staff, setStaff] = useState("");
  const [about, setAbout] = useState("");
  const [event, setEvent] = useState<"" | Event>("");
  const [found, setFound] = useState<{ staff_id?: string; about?: string }>({});
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const [staffId, aboutId] = [await idOf(staff), await idOf(about)];
    setFound({ ...(staffId !== null && { staff_id: staffId }), ...(aboutId !== null && { about: aboutId }) });
  });
  return (
    <>
      <p class="quiet">{audit.hint}</p>
      <search>
        <form class="filters" onSubmit={(submitted) => void submit(submitted)}>
          <Field name="staff" label={audit.staff} autoComplete="off" value={staff} onValue={setStaff} />
          <Field name="about" label={audit.aboutLabel} autoComplete="off" value={about} onValue={setAbout} />
          <Choice
            label={audit.event}
            value={event}
            options={[["", frame.any], ...optionsOf(audit.events)]}
            onValue={setEvent}
          />
          <button type="submit" class="button quiet" aria-disabled={isBusy}>
            {audit.apply}
          </button>
        </form>
        <Refused refusal={refusal} />
      </search>
      <div class="panel">
        <LogRows filter={{ ...found, ...(event !== "" && { event }) }} />
      </div>
    </>
  );
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Of what was typed: an id, or the name of an account, also of one that is banned. Null for nothing. */
async function idOf(typed: string): Promise<string | null> {
  const text = typed.trim().replace(/^@/, "");
  if (text === "") return null;
  if (ID.test(text)) return text;
  const { items } = await client.call("listUsers", { query: { q: text, per_page: 1 } });
  const [first] = items;
  // Sorted by name, so that the whole name comes before those that it begins.
  if (first?.username !== text.toLowerCase()) throw new Problem(STAFF_TEXTS.audit.unknown(text));
  return first.id;
}
