import type { Success } from "@livecore/client";
import { useId, useState } from "preact/hooks";
import { Dialog } from "../../../components/dialog.tsx";
import { Field } from "../../../components/field.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { faultOf } from "../../../site/problems.ts";
import { serverNow } from "../../../site/service-clock.ts";
import { client } from "../../../site/session.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { withStepUp } from "../../step-up/step-up.ts";

type Scope = Schemas["TokenScope"];

const LIFETIMES = ["30", "90", "365", "never"] as const;
type Lifetime = (typeof LIFETIMES)[number];
const DAY_MS = 86_400_000;
const LONGEST_NAME = 100;

type Props = { onCreated: (token: Success<"createApiToken">) => void; onClose: () => void };

/** What a token is for, what it may do, and until when. */
export function NewToken({ onCreated, onClose }: Props) {
  const { settings, cancel } = TEXTS;
  const { tokens } = settings;
  const id = useId();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["chat:read"]);
  const [lifetime, setLifetime] = useState<Lifetime>("90");
  const { isBusy, refusal, submit } = useSubmit(async () => {
    if (scopes.length === 0) return;
    const end = lifetime === "never" ? null : new Date(serverNow() + Number(lifetime) * DAY_MS).toISOString();
    const body = { name, scopes: [...scopes], expires_at: end };
    onCreated(await withStepUp(() => client.call("createApiToken", { body })));
  });
  const toggle = (scope: Scope, isWanted: boolean): void =>
    setScopes((before) => [...before.filter((one) => one !== scope), ...(isWanted ? [scope] : [])]);
  return (
    <Dialog title={tokens.create} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <Field
          name="name"
          label={tokens.name}
          value={name}
          onValue={setName}
          hint={tokens.nameHint}
          fault={faultOf(refusal, "name")}
          autoComplete="off"
          maxLength={LONGEST_NAME}
          autoFocus
          required
        />
        <fieldset class="plain">
          <legend>{tokens.scopes}</legend>
          {scopesIn(tokens.scopeNames).map(([scope, label]) => (
            <label key={scope} class="check">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={({ currentTarget }) => toggle(scope, currentTarget.checked)}
              />
              {label}
            </label>
          ))}
        </fieldset>
        <div class="field">
          <label htmlFor={id}>{tokens.expires}</label>
          <select
            id={id}
            value={lifetime}
            onChange={({ currentTarget }) =>
              setLifetime(LIFETIMES.find((one) => one === currentTarget.value) ?? "90")
            }
          >
            {LIFETIMES.map((one) => (
              <option key={one} value={one}>
                {tokens.lifetimes[one]}
              </option>
            ))}
          </select>
        </div>
        <Refused refusal={refusal} fields={["name"]} />
        <div class="actions">
          <button type="button" class="button quiet" onClick={onClose}>
            {cancel}
          </button>
          <button type="submit" class="button" aria-disabled={isBusy || scopes.length === 0}>
            {tokens.create}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The texts have one for each scope, or they don't compile. */
const scopesIn = (names: Record<Scope, string>): [Scope, string][] =>
  Object.entries(names) as [Scope, string][];
