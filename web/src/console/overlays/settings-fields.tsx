import { Field } from "../../components/field.tsx";
import { FieldFrame } from "../../components/field-frame.tsx";
import { ALERT_KINDS, type OverlayKind } from "../../embeds/overlay/settings.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import type { Draft, Faults } from "./settings-draft.ts";

const THEMES = ["dark", "light", "clear"] as const;
/** Seconds to choose from; others stay as a program has set them. */
const FADES = [0, 10, 30, 60, 300];

type Change = (change: Partial<Draft>) => void;
type Props = { kind: OverlayKind; draft: Draft; faults: Faults; onChange: Change };

/** The settings that a kind of overlay uses. */
export function SettingsFields({ kind, draft, faults, onChange }: Props) {
  const texts = CONSOLE_TEXTS.overlays.form;
  return (
    <>
      <FieldFrame label={texts.theme} fault={null}>
        {(tied) => (
          <select
            {...tied}
            value={draft.theme}
            onChange={({ currentTarget: { value } }) =>
              onChange({ theme: THEMES.find((one) => one === value) ?? "dark" })
            }
          >
            {THEMES.map((one) => (
              <option key={one} value={one}>
                {texts.themes[one]}
              </option>
            ))}
          </select>
        )}
      </FieldFrame>
      {kind === "alerts" && <AlertFields draft={draft} faults={faults} onChange={onChange} />}
      {kind === "chat" && <ChatFields draft={draft} faults={faults} onChange={onChange} />}
    </>
  );
}

function AlertFields({ draft, faults, onChange }: Omit<Props, "kind">) {
  const texts = CONSOLE_TEXTS.overlays.form;
  const { alert_kinds: chosen, sound } = draft;
  return (
    <>
      <fieldset class="plain">
        <legend>{texts.alerts}</legend>
        {ALERT_KINDS.map((one) => (
          <label key={one} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(one)}
              onChange={({ currentTarget: { checked } }) =>
                onChange({
                  alert_kinds: ALERT_KINDS.filter((kind) => (kind === one ? checked : chosen.includes(kind))),
                })
              }
            />
            {texts.alertKinds[one]}
          </label>
        ))}
      </fieldset>
      <Range
        label={texts.seconds}
        value={draft.alert_seconds}
        from={2}
        to={30}
        onValue={(alert_seconds) => onChange({ alert_seconds })}
      />
      <Field
        name="smallest_tip"
        label={texts.smallestTip}
        hint={texts.smallestTipHint}
        inputMode="decimal"
        autoComplete="off"
        value={draft.smallestTip}
        onValue={(smallestTip) => onChange({ smallestTip })}
        fault={faults.smallest_tip_cents}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={sound}
          onChange={({ currentTarget }) => onChange({ sound: currentTarget.checked })}
        />
        {texts.sound}
      </label>
      {sound && (
        <Range
          label={texts.volume}
          value={draft.volume}
          from={0}
          to={100}
          onValue={(volume) => onChange({ volume })}
        />
      )}
    </>
  );
}

function ChatFields({ draft, faults, onChange }: Omit<Props, "kind">) {
  const texts = CONSOLE_TEXTS.overlays.form;
  const { fade_seconds: fade } = draft;
  return (
    <>
      <Range
        label={texts.fontSize}
        value={draft.font_size}
        from={12}
        to={48}
        onValue={(font_size) => onChange({ font_size })}
      />
      <FieldFrame label={texts.fade} fault={null}>
        {(tied) => (
          <select
            {...tied}
            value={fade}
            onChange={({ currentTarget }) => onChange({ fade_seconds: Number(currentTarget.value) })}
          >
            {(FADES.includes(fade) ? FADES : [...FADES, fade]).map((one) => (
              <option key={one} value={one}>
                {texts.fades[one] ?? texts.fadeSeconds(one)}
              </option>
            ))}
          </select>
        )}
      </FieldFrame>
      <label class="check">
        <input
          type="checkbox"
          checked={draft.hides_commands}
          onChange={({ currentTarget }) => onChange({ hides_commands: currentTarget.checked })}
        />
        {texts.hidesCommands}
      </label>
      <Field
        name="hidden_users"
        label={texts.hiddenUsers}
        hint={texts.hiddenUsersHint}
        autoComplete="off"
        value={draft.hiddenUsers}
        onValue={(hiddenUsers) => onChange({ hiddenUsers })}
        fault={faults.hidden_users}
      />
    </>
  );
}

type RangeProps = {
  label: string;
  value: number;
  from: number;
  to: number;
  onValue: (value: number) => void;
};

const Range = ({ label, value, from, to, onValue }: RangeProps) => (
  <FieldFrame label={label} fault={null}>
    {(tied) => (
      <span class="slider">
        <input
          {...tied}
          type="range"
          min={from}
          max={to}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.valueAsNumber)}
        />
        <output htmlFor={tied.id}>{value}</output>
      </span>
    )}
  </FieldFrame>
);
