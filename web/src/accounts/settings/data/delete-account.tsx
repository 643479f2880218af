import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { Field } from "../../../components/field.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { to } from "../../../site/page-data.ts";
import { client, forgetMe } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { withStepUp } from "../../step-up/step-up.ts";

/** The end of the account, which a sign-in undoes for a while. */
export function DeleteAccount() {
  const { data } = TEXTS.settings;
  const [isAsking, ask] = useState(false);
  return (
    <section class="box">
      <h2>{data.deleteTitle}</h2>
      <p>{data.deleteHint}</p>
      <div class="actions">
        <button type="button" class="button danger" onClick={() => ask(true)}>
          {data.delete}
        </button>
      </div>
      {isAsking && <Confirmation onClose={() => ask(false)} />}
    </section>
  );
}

function Confirmation({ onClose }: { onClose: () => void }) {
  const { data } = TEXTS.settings;
  const [password, setPassword] = useState("");
  const { route } = useLocation();
  const submission = useSubmit(async () => {
    const body = password === "" ? {} : { password };
    await withStepUp(() => client.call("deleteMe", { body }), { password });
    onClose();
    forgetMe();
    say(data.deleted);
    route(to("/"));
  });
  return (
    <DialogForm title={data.deleteSure} submission={submission} go={data.delete} isDanger onClose={onClose}>
      <p>{data.deleteHint}</p>
      <Field
        name="password"
        label={data.password}
        value={password}
        onValue={setPassword}
        hint={data.passwordHint}
        autoComplete="current-password"
        isSecret
        autoFocus
      />
    </DialogForm>
  );
}
