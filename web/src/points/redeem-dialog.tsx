import { LivecoreError } from "@livecore/client";
import { useRef, useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { TextArea } from "../components/text-area.tsx";
import { useSubmit } from "../components/use-submit.ts";
import { formatDuration } from "../formats/durations.ts";
import { AttemptKey } from "../site/attempt-key.ts";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";
import type { ChannelPoints } from "./channel-points.ts";
import { type Known, leftOf, type Reward } from "./offer.ts";
import { redeemRefusalOf } from "./refusals.ts";
import { BarText, useBar } from "./reward-tile.tsx";

type Props = {
  points: ChannelPoints;
  reward: Reward;
  known: Known;
  onRefused: (err: unknown) => void;
  onClose: () => void;
};

/** docs/interface.md#8-limits */
const LONGEST_INPUT = 500;

/** What a reward is, and the button that redeems it; asks for a text where the reward takes one. */
export function RedeemDialog({ points, reward, known, onRefused, onClose }: Props) {
  const [input, setInput] = useState("");
  const { current: key } = useRef(new AttemptKey());
  const { value: balance } = points.balance.points;
  const bar = useBar(reward, known, balance);
  const texts = TEXTS.points;
  const { isBusy, refusal, submit } = useSubmit(async () => {
    if (bar !== null) return;
    const body = reward.requires_input ? { user_input: input } : {};
    try {
      const { status } = await key.once(body, (idempotencyKey) =>
        points.redeem(reward.id, body, idempotencyKey),
      );
      say(status === "fulfilled" ? texts.redeemed(reward.title) : texts.waitsNow(reward.title));
      onClose();
    } catch (err) {
      onRefused(err);
      throw err;
    }
  });
  const limits = limitsOf(reward, known);
  // What keeps the reader from it says the same.
  const isSaid = bar !== null && refusal instanceof LivecoreError;
  return (
    <Dialog title={reward.title} onClose={onClose}>
      <form class="form redeem" onSubmit={(event) => void submit(event)}>
        {reward.description !== null && (
          <p class="description" dir="auto">
            {reward.description}
          </p>
        )}
        {limits.length > 0 && (
          <ul class="hint">
            {limits.map((limit) => (
              <li key={limit}>{limit}</li>
            ))}
          </ul>
        )}
        {reward.requires_input && (
          <TextArea
            name="user_input"
            label={texts.input}
            hint={texts.inputHint}
            value={input}
            onValue={setInput}
            rows={3}
            maxLength={LONGEST_INPUT}
            required
          />
        )}
        {refusal !== null && !isSaid && (
          <p class="fault" role="alert">
            {redeemRefusalOf(refusal)}
          </p>
        )}
        {bar && (
          <p class="barred" role="status">
            <BarText bar={bar} />
          </p>
        )}
        <div class="actions">
          <button type="button" class="button quiet" onClick={onClose}>
            {TEXTS.cancel}
          </button>
          <button type="submit" class="button" aria-disabled={isBusy || bar !== null}>
            {texts.redeem(reward.cost)}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function limitsOf(reward: Reward, known: Known): string[] {
  const texts = TEXTS.points;
  const { cooldown_seconds: cooldown, max_per_stream: most, max_per_user_per_stream: own } = reward;
  const left = leftOf(reward, known);
  return [
    ...(cooldown ? [texts.cooldown(formatDuration(cooldown))] : []),
    ...(most === null ? [] : [left === null ? texts.perStream(most) : texts.left(left, most)]),
    ...(own === null ? [] : [texts.perUser(own)]),
  ];
}
