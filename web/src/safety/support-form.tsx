import { useState } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { Refused } from "../components/refused.tsx";
import { TextArea } from "../components/text-area.tsx";
import { useSubmit } from "../components/use-submit.ts";
import type { Schemas } from "../site/page-data.ts";
import { faultOf } from "../site/problems.ts";
import { client, me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { NO_TAKEDOWN, TakedownFields, takedownOf } from "./takedown-fields.tsx";

type Kind = Schemas["NewSupportRequest"]["kind"];

const KINDS = ["support", "dmca"] as const satisfies readonly Kind[];
const LONGEST = { email: 254, subject: 140, message: 5_000 };
const FIELDS = ["email", "subject", "message", "work", "signature"];

/** What is it about, and where the answer goes. */
export function SupportForm({ onSent }: { onSent: (request: Schemas["SupportRequest"]) => void }) {
  const { support } = TEXTS;
  const [kind, setKind] = useState<Kind>("support");
  const [typedEmail, setEmail] = useState<string | null>(null);
  const [subject, setSubject] = useState("");
  const [message, setMessage] = useState("");
  const [takedown, setTakedown] = useState(NO_TAKEDOWN);
  const email = typedEmail ?? me.value?.email ?? "";
  const { isBusy, refusal, submit, reset } = useSubmit(async () => {
    const about = kind === "dmca" ? takedownOf(takedown) : {};
    onSent(await client.call("createSupportRequest", { body: { kind, email, subject, message, ...about } }));
  });
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <fieldset class="plain">
        <legend>{support.kind}</legend>
        {KINDS.map((one) => (
          <label key={one} class="check">
            <input
              type="radio"
              name="kind"
              checked={one === kind}
              onChange={() => {
                setKind(one);
                reset();
              }}
            />
            {support.kinds[one]}
          </label>
        ))}
      </fieldset>
      <Field
        name="email"
        type="email"
        label={support.email}
        value={email}
        onValue={setEmail}
        hint={support.emailHint}
        fault={faultOf(refusal, "email")}
        autoComplete="email"
        maxLength={LONGEST.email}
        required
      />
      <Field
        name="subject"
        label={support.subject}
        value={subject}
        onValue={setSubject}
        fault={faultOf(refusal, "subject")}
        autoComplete="off"
        maxLength={LONGEST.subject}
        required
      />
      <TextArea
        name="message"
        label={support.message}
        value={message}
        onValue={setMessage}
        fault={faultOf(refusal, "message")}
        maxLength={LONGEST.message}
        rows={8}
        required
      />
      {kind === "dmca" && <TakedownFields takedown={takedown} onChange={setTakedown} refusal={refusal} />}
      <Refused refusal={refusal} fields={FIELDS} />
      <button type="submit" class="button wide" aria-disabled={isBusy}>
        {support.send}
      </button>
    </form>
  );
}
