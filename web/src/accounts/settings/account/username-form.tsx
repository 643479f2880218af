import { LivecoreError } from "@livecore/client";
import { useState } from "preact/hooks";
import { Field } from "../../../components/field.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { formatDate } from "../../../formats/dates.ts";
import { faultOf } from "../../../site/problems.ts";
import { client, type Me, updatedMe } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { useUnsaved } from "../../../site/unsaved.ts";
import { TEXTS } from "../../../texts/texts.ts";

/** Another name, which is another address of the channel. */
export function UsernameForm({ user }: { user: Me }) {
  const { account } = TEXTS.settings;
  const [username, setUsername] = useState(user.username);
  const saved = useUnsaved(username);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    if (username === user.username) return;
    const renamed = await client.call("updateMe", { body: { username } });
    updatedMe(renamed);
    saved();
    say(account.usernameChanged(renamed.username));
  });
  const fault = faultOf(refusal, "username") ?? ofName(refusal);
  return (
    <form class="box" onSubmit={(event) => void submit(event)}>
      <h2>{account.username}</h2>
      <Field
        name="username"
        label={account.username}
        value={username}
        onValue={setUsername}
        hint={account.usernameHint}
        fault={fault}
        autoComplete="username"
        maxLength={25}
        required
      />
      {fault === null && <Refused refusal={refusal} />}
      <div class="actions">
        <button type="submit" class="button" aria-disabled={isBusy || username === user.username}>
          {account.changeUsername}
        </button>
      </div>
    </form>
  );
}

/** Why nobody can have that name now, or this user no other. */
function ofName(refusal: unknown): string | null {
  if (!(refusal instanceof LivecoreError)) return null;
  const { code, message, details } = refusal;
  if (code === "username_taken") return message;
  if (code !== "username_locked") return null;
  const { changeable_at: at } = details;
  return typeof at === "string" ? TEXTS.settings.account.lockedUntil(formatDate(at)) : message;
}
