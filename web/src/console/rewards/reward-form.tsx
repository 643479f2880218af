import { LivecoreError } from "@livecore/client";
import { useRef, useState } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Refused } from "../../components/refused.tsx";
import { TextArea } from "../../components/text-area.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { AttemptKey } from "../../site/attempt-key.ts";
import type { Schemas } from "../../site/page-data.ts";
import { faultOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { type Draft, draftOf, isCount, offerOf, UNITS } from "./offer.ts";

const LONGEST_TITLE = 45;
const LONGEST_DESCRIPTION = 200;
/** Digits of the highest price. */
const LONGEST_NUMBER = 9;
const COUNTS = {
  cost: "cost",
  cooldown: "cooldown_seconds",
  perStream: "max_per_stream",
  perUser: "max_per_user_per_stream",
} as const;
type Count = keyof typeof COUNTS;

type Props = {
  /** Null: a new one. */
  reward: Schemas["ChannelReward"] | null;
  onSaved: () => void;
  onClose: () => void;
};

/** What a reward is, costs and is limited by. */
export function RewardForm({ reward, onSaved, onClose }: Props) {
  const { form } = CONSOLE_TEXTS.rewards;
  const [draft, setDraft] = useState(() => draftOf(reward));
  const [isChecked, setChecked] = useState(false);
  const { current: key } = useRef(new AttemptKey());
  const set = (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change }));
  const isWrong = (count: Count): boolean => !isCount(draft[count], count !== "cost");
  const { isBusy, refusal, submit } = useSubmit(async () => {
    setChecked(true);
    if (countsIn(COUNTS).some(isWrong)) return;
    const body = offerOf(draft);
    if (reward) await client.call("updateReward", { path: { reward_id: reward.id }, body });
    else await key.once(body, (idempotencyKey) => client.call("createReward", { body, idempotencyKey }));
    onSaved();
  });
  const isTaken = refusal instanceof LivecoreError && refusal.code === "reward_title_taken";
  const number = (count: Count, label: string) => (
    <Field
      name={count}
      label={label}
      inputMode="numeric"
      autoComplete="off"
      maxLength={LONGEST_NUMBER}
      value={draft[count]}
      onValue={(value) => set({ [count]: value })}
      fault={isChecked && isWrong(count) ? form.number : faultOf(refusal, COUNTS[count])}
    />
  );
  const check = (field: "requiresInput" | "skipQueue" | "isEnabled", label: string) => (
    <label class="check">
      <input
        type="checkbox"
        checked={draft[field]}
        onChange={({ currentTarget }) => set({ [field]: currentTarget.checked })}
      />
      {label}
    </label>
  );
  return (
    <Dialog title={reward ? form.editTitle : form.addTitle} onClose={onClose}>
      <form class="form" noValidate onSubmit={(event) => void submit(event)}>
        <Field
          name="title"
          label={form.title}
          autoComplete="off"
          maxLength={LONGEST_TITLE}
          value={draft.title}
          onValue={(title) => set({ title })}
          fault={isTaken ? form.taken : faultOf(refusal, "title")}
          autoFocus
        />
        {number("cost", form.cost)}
        <TextArea
          name="description"
          label={form.description}
          maxLength={LONGEST_DESCRIPTION}
          rows={2}
          value={draft.description}
          onValue={(description) => set({ description })}
          fault={faultOf(refusal, "description")}
        />
        <div>
          {check("requiresInput", form.input)}
          {check("skipQueue", form.skip)}
          {check("isEnabled", form.enabled)}
        </div>
        <fieldset class="plain limits">
          <legend>{form.limits}</legend>
          <p class="hint">{form.limitsHint}</p>
          {number("cooldown", form.cooldown)}
          <select
            aria-label={form.unit}
            value={draft.unit}
            onChange={({ currentTarget }) =>
              set({ unit: UNITS.find((one) => one === currentTarget.value) ?? draft.unit })
            }
          >
            {UNITS.map((one) => (
              <option key={one} value={one}>
                {form.units[one]}
              </option>
            ))}
          </select>
          {number("perStream", form.perStream)}
          {number("perUser", form.perUser)}
        </fieldset>
        {!isTaken && (
          <Refused refusal={refusal} fields={["title", "description", ...Object.values(COUNTS)]} />
        )}
        <div class="actions">
          <button type="button" class="button quiet" onClick={onClose}>
            {TEXTS.cancel}
          </button>
          <button type="submit" class="button" aria-disabled={isBusy}>
            {form.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const countsIn = (counts: Record<Count, string>): Count[] => Object.keys(counts) as Count[];
