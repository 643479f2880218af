import type { Success } from "@livecore/client";
import { KeyRound } from "lucide";
import { useState } from "preact/hooks";
import { deviceName } from "../../../components/device-name.ts";
import { Icon } from "../../../components/icon.tsx";
import { Loaded } from "../../../components/loaded.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { formatDate } from "../../../formats/dates.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { problemOf } from "../../../site/problems.ts";
import { useRead } from "../../../site/read.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { addPasskey, hasPasskeys } from "../../passkeys/passkeys.ts";
import { withStepUp } from "../../step-up/step-up.ts";
import { PasskeyName } from "./passkey-name.tsx";

type Passkey = Schemas["Passkey"];
type Shown =
  | { kind: "new"; options: Success<"startPasskeyRegistration">["options"] }
  | { kind: "rename"; passkey: Passkey };

/** The passkeys of the account: each opens it without a password. */
export function Passkeys() {
  const { passkeys, security } = TEXTS.settings;
  const list = useRead("listPasskeys", { query: { per_page: 100 } });
  const [shown, show] = useState<Shown | null>(null);
  const addition = useSubmit(async () => {
    const { options } = await withStepUp(() => client.call("startPasskeyRegistration"));
    show({ kind: "new", options });
  });
  const put = (passkey: Passkey): void => {
    list.change((page) => ({
      ...page,
      items: [...page.items.filter(({ id }) => id !== passkey.id), passkey],
    }));
    show(null);
  };
  const remove = async ({ id }: Passkey): Promise<void> => {
    try {
      await withStepUp(() => client.call("deletePasskey", { path: { passkey_id: id } }));
      list.change((page) => ({ ...page, items: page.items.filter((one) => one.id !== id) }));
      say(passkeys.removed);
    } catch (err) {
      say(problemOf(err), { isProblem: true });
    }
  };
  return (
    <section class="box">
      <h2>{passkeys.title}</h2>
      <p>{hasPasskeys() ? passkeys.hint : passkeys.unsupported}</p>
      <Loaded read={list}>
        {({ items }) => (
          <ul class="rows">
            {items.map((passkey) => (
              <Row
                key={passkey.id}
                passkey={passkey}
                onRename={() => show({ kind: "rename", passkey })}
                onRemove={remove}
              />
            ))}
          </ul>
        )}
      </Loaded>
      <Refused refusal={addition.refusal} />
      {hasPasskeys() && (
        <div class="actions">
          <button
            type="button"
            class="button"
            aria-disabled={addition.isBusy}
            onClick={() => void addition.submit()}
          >
            <Icon of={KeyRound} />
            {passkeys.add}
          </button>
        </div>
      )}
      {shown?.kind === "new" && (
        <PasskeyName
          title={passkeys.add}
          first={deviceName(navigator.userAgent) ?? security.unknownDevice}
          onClose={() => show(null)}
          onName={async (name) => {
            put(await addPasskey(shown.options, name));
            say(passkeys.added);
          }}
        />
      )}
      {shown?.kind === "rename" && (
        <PasskeyName
          title={passkeys.rename}
          first={shown.passkey.name}
          onClose={() => show(null)}
          onName={async (name) => {
            const path = { passkey_id: shown.passkey.id };
            put(await client.call("updatePasskey", { path, body: { name } }));
          }}
        />
      )}
    </section>
  );
}

type RowProps = { passkey: Passkey; onRename: () => void; onRemove: (passkey: Passkey) => Promise<void> };

function Row({ passkey, onRename, onRemove }: RowProps) {
  const { passkeys, tokens, remove } = TEXTS.settings;
  const { name, created_at: created, last_used_at: used, is_synced: isSynced } = passkey;
  const facts = [
    passkeys.since(formatDate(created)),
    used === null ? tokens.unused : tokens.used(formatDate(used)),
    ...(isSynced ? [passkeys.synced] : []),
  ];
  return (
    <li>
      <div class="what">
        <bdi>{name}</bdi>
        <span class="quiet">{facts.join(" · ")}</span>
      </div>
      <button type="button" class="button quiet" aria-label={passkeys.renameOf(name)} onClick={onRename}>
        {passkeys.rename}
      </button>
      <button
        type="button"
        class="button quiet"
        aria-label={passkeys.removeOf(name)}
        onClick={() => void onRemove(passkey)}
      >
        {remove}
      </button>
    </li>
  );
}
