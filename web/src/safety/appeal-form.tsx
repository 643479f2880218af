import { useState } from "preact/hooks";
import { Refused } from "../components/refused.tsx";
import { TextArea } from "../components/text-area.tsx";
import { useSubmit } from "../components/use-submit.ts";
import type { Schemas } from "../site/page-data.ts";
import { faultOf } from "../site/problems.ts";
import { client } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";

export type AppealSubject = Pick<Schemas["NewAppeal"], "subject_type" | "subject_id">;

type Props = {
  subject: AppealSubject;
  /** Of a refused login, for a user who can't log in. */
  token?: string;
  onSent: (appeal: Schemas["Appeal"]) => void;
  onCancel?: () => void;
};

const SHORTEST = 20;
const LONGEST = 2_000;

/** Asks staff to take something back. */
export function AppealForm({ subject, token, onSent, onCancel }: Props) {
  const { appeal } = TEXTS;
  const [message, setMessage] = useState("");
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const body = { ...subject, message, ...(token !== undefined && { appeal_token: token }) };
    onSent(await client.call("createAppeal", { body }));
  });
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <p>{appeal.hint}</p>
      <TextArea
        name="message"
        label={appeal.label}
        value={message}
        onValue={setMessage}
        hint={appeal.rule}
        fault={faultOf(refusal, "message")}
        minLength={SHORTEST}
        maxLength={LONGEST}
        rows={6}
        required
      />
      <Refused refusal={refusal} fields={["message"]} />
      <div class="actions">
        {onCancel && (
          <button type="button" class="button quiet" onClick={onCancel}>
            {TEXTS.cancel}
          </button>
        )}
        <button type="submit" class={onCancel ? "button" : "button wide"} aria-disabled={isBusy}>
          {appeal.send}
        </button>
      </div>
    </form>
  );
}
