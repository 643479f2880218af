import { useState } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { useSubmit } from "../components/use-submit.ts";
import type { Schemas } from "../site/page-data.ts";
import { problemOf } from "../site/problems.ts";
import { TEXTS } from "../texts/texts.ts";
import { userNamed } from "./user-named.ts";

type Props = {
  label?: string;
  /** The button's text. */
  go?: string;
  /** Rejects with what refused it. */
  onUser: (user: Schemas["PublicProfile"]) => Promise<void>;
};

/** A name to type, and what is done with whoever has it. */
export function AddUser({ label = TEXTS.console.username, go = TEXTS.console.add, onUser }: Props) {
  const [typed, setTyped] = useState("");
  const { isBusy, refusal, submit } = useSubmit(async () => {
    if (typed.trim() === "") return;
    await onUser(await userNamed(typed));
    setTyped("");
  });
  return (
    <form class="add" onSubmit={(event) => void submit(event)}>
      <Field
        name="username"
        label={label}
        autoComplete="off"
        value={typed}
        onValue={setTyped}
        fault={refusal === null ? null : problemOf(refusal)}
      />
      <button type="submit" class="button" aria-disabled={isBusy}>
        {go}
      </button>
    </form>
  );
}
