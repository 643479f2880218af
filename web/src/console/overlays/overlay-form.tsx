import { useState } from "preact/hooks";
import { Field } from "../../components/field.tsx";
import { FieldFrame } from "../../components/field-frame.tsx";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { OVERLAY_KINDS, type OverlayKind, USUAL } from "../../embeds/overlay/settings.ts";
import type { Schemas } from "../../site/page-data.ts";
import { faultOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { useUnsaved } from "../../site/unsaved.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { Panel } from "../panel.tsx";
import type { Overlay } from "./overlay.ts";
import { OverlayPreview } from "./overlay-preview.tsx";
import { draftOf, type Faults, settingsOf } from "./settings-draft.ts";
import { SettingsFields } from "./settings-fields.tsx";

const LONGEST_NAME = 60;
/** Those that may be wrong, of each kind. What stands in a field of another kind is kept, but isn't seen. */
const FIELDS: Record<OverlayKind, readonly (keyof Faults)[]> = {
  alerts: ["smallest_tip_cents"],
  chat: ["hidden_users"],
  prediction: [],
  poll: [],
};

type Props = {
  streamId: string;
  /** Null for a new one. */
  overlay: Overlay | null;
  create: (body: Schemas["NewOverlay"]) => Promise<void>;
  onSaved: (overlay: Overlay) => void;
  onClose: () => void;
};

/** What an overlay shows and how, with a preview. */
export function OverlayForm({ streamId, overlay, create, onSaved, onClose }: Props) {
  const texts = CONSOLE_TEXTS.overlays.form;
  const { kinds } = CONSOLE_TEXTS.overlays;
  const [kind, setKind] = useState<OverlayKind>(overlay?.kind ?? "alerts");
  const [name, setName] = useState(overlay?.name ?? "");
  const [draft, setDraft] = useState(() => draftOf(overlay?.settings ?? USUAL));
  const { settings, faults } = settingsOf(draft);
  const markSaved = useUnsaved(JSON.stringify([kind, name, draft]));
  const { isBusy, refusal, submit } = useSubmit(async () => {
    if (FIELDS[kind].some((field) => faults[field])) return;
    if (overlay) {
      const path = { stream_id: streamId, overlay_id: overlay.id };
      const saved = await client.call("updateOverlay", { path, body: { name, settings } });
      markSaved();
      say(texts.saved);
      return onSaved(saved);
    }
    await create({ kind, name: name || kinds[kind], settings });
    markSaved();
  });
  return (
    <Panel title={overlay ? texts.edit : texts.create} kind="overlay-form">
      <form class="form" onSubmit={(event) => void submit(event)}>
        <Field
          name="name"
          label={texts.name}
          hint={texts.nameHint}
          value={name}
          onValue={setName}
          fault={faultOf(refusal, "name")}
          autoComplete="off"
          maxLength={LONGEST_NAME}
          autoFocus
          required={overlay !== null}
        />
        {overlay === null && (
          <FieldFrame label={texts.kind} fault={null}>
            {(tied) => (
              <select
                {...tied}
                value={kind}
                onChange={({ currentTarget: { value } }) =>
                  setKind(OVERLAY_KINDS.find((one) => one === value) ?? "alerts")
                }
              >
                {OVERLAY_KINDS.map((one) => (
                  <option key={one} value={one}>
                    {kinds[one]}
                  </option>
                ))}
              </select>
            )}
          </FieldFrame>
        )}
        <SettingsFields
          kind={kind}
          draft={draft}
          faults={faults}
          onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
        />
        <Refused refusal={refusal} fields={["name"]} />
        <div class="actions">
          <button type="button" class="button quiet" onClick={onClose}>
            {TEXTS.cancel}
          </button>
          <button type="submit" class="button" aria-disabled={isBusy}>
            {overlay ? texts.save : texts.create}
          </button>
        </div>
      </form>
      <OverlayPreview kind={kind} settings={settings} />
    </Panel>
  );
}
