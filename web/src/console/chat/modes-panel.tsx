import { useId } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import { formatDuration } from "../../formats/durations.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { Panel } from "../panel.tsx";
import { type ModesOfRoom, useModes } from "./use-modes.ts";

/** Seconds to choose from. */
const SLOW = [null, 3, 5, 10, 30, 60, 120, 300];
/** Minutes to choose from. */
const FOLLOWED = [null, 0, 10, 60, 1_440, 10_080, 43_200, 129_600];
const SECONDS = 60;
const SWITCHES = [
  ["chat_enabled", "enabled"],
  ["shield_mode", "shield"],
  ["emote_only", "emoteOnly"],
  ["unique_chat", "unique"],
] as const;

/** Who may write in a room, each mode with what switches it. */
export function ModesPanel({ streamId }: { streamId: string }) {
  const texts = CONSOLE_TEXTS.chat;
  const modes = useModes(streamId);
  return (
    <Panel title={texts.modes}>
      <p class="quiet">{texts.modesHint}</p>
      <Loaded read={modes.read}>{(known) => <Switches {...modes} known={known} />}</Loaded>
    </Panel>
  );
}

type SwitchesProps = Pick<ModesOfRoom, "change" | "isBusy"> & {
  known: NonNullable<ModesOfRoom["read"]["data"]>;
};

function Switches({ known, change, isBusy }: SwitchesProps) {
  const texts = CONSOLE_TEXTS.chat;
  const { shield_mode: isShielded } = known;
  return (
    <div class="form" aria-busy={isBusy}>
      <div>
        {SWITCHES.map(([field, name]) => (
          <label key={field} class="check explained">
            <input
              type="checkbox"
              checked={known[field]}
              aria-disabled={isShielded && field === "unique_chat"}
              onChange={({ currentTarget }) => {
                // What is shown is what shield mode sets, and not the setting.
                if (!(isShielded && field === "unique_chat")) change({ [field]: currentTarget.checked });
                // It shows what is so, until the service has answered.
                currentTarget.checked = known[field];
              }}
            />
            <span class="what">
              {texts[name]}
              {field === "shield_mode" && <span class="quiet">{texts.shieldHint}</span>}
            </span>
          </label>
        ))}
      </div>
      {isShielded && <p class="quiet">{texts.shielded}</p>}
      <Choice
        isLocked={isShielded}
        label={texts.slow}
        from={SLOW}
        value={known.slow}
        textOf={(seconds) => texts.slows(formatDuration(seconds))}
        onChoose={(slow) => change({ slow })}
      />
      <Choice
        isLocked={isShielded}
        label={texts.followers}
        from={FOLLOWED}
        value={known.followers_only}
        textOf={(minutes) =>
          minutes === 0 ? texts.anyFollower : texts.followedFor(formatDuration(minutes * SECONDS))
        }
        onChoose={(followers) => change({ followers_only: followers })}
      />
    </div>
  );
}

type ChoiceProps = {
  isLocked: boolean;
  label: string;
  from: readonly (number | null)[];
  /** Null: off. */
  value: number | null;
  textOf: (value: number) => string;
  onChoose: (value: number | null) => void;
};

function Choice({ isLocked, label, from, value, textOf, onChoose }: ChoiceProps) {
  const id = useId();
  // A command may have set another one.
  const options = from.includes(value) ? from : [...from, value];
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value ?? "off"}
        aria-disabled={isLocked}
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.value;
          currentTarget.value = String(value ?? "off");
          if (!isLocked) onChoose(chosen === "off" ? null : Number(chosen));
        }}
      >
        {options.map((one) => (
          <option key={one} value={one ?? "off"}>
            {one === null ? CONSOLE_TEXTS.chat.off : textOf(one)}
          </option>
        ))}
      </select>
    </div>
  );
}
