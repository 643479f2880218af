import { useOneAtATime } from "../../components/one-at-a-time.ts";
import { formatDuration } from "../../formats/durations.ts";
import type { Schemas } from "../../site/page-data.ts";
import { problemOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

type Reward = Schemas["ChannelReward"];
type Props = { reward: Reward; onChanged: () => void; onEdit: () => void; onRemove: () => void };

/** A reward as its owner sees it: what it costs, what limits it, whether it can be redeemed. */
export function RewardRow({ reward, onChanged, onEdit, onRemove }: Props) {
  const texts = CONSOLE_TEXTS.rewards;
  const { isBusy, run } = useOneAtATime();
  const { id, title, cost, description, is_paused: isPaused, is_enabled: isEnabled } = reward;
  const pause = (): Promise<void> =>
    run(async () => {
      try {
        await client.call("updateReward", { path: { reward_id: id }, body: { is_paused: !isPaused } });
        onChanged();
      } catch (err) {
        say(problemOf(err), { isProblem: true });
      }
    }).then(() => undefined);
  return (
    <li>
      <div class="what">
        <b dir="auto">{title}</b>
        {description !== null && <span dir="auto">{description}</span>}
        <span class="quiet">{[texts.costs(cost), ...factsOf(reward)].join(" · ")}</span>
        {(isPaused || !isEnabled) && <span class="here">{isEnabled ? texts.paused : texts.off}</span>}
      </div>
      <div class="actions">
        <button
          type="button"
          class="button quiet"
          aria-disabled={isBusy}
          aria-label={isPaused ? texts.resumeOf(title) : texts.pauseOf(title)}
          onClick={() => void pause()}
        >
          {isPaused ? texts.resume : texts.pause}
        </button>
        <button type="button" class="button quiet" aria-label={texts.editOf(title)} onClick={onEdit}>
          {texts.edit}
        </button>
        <button type="button" class="button quiet" aria-label={texts.removeOf(title)} onClick={onRemove}>
          {texts.remove}
        </button>
      </div>
    </li>
  );
}

function factsOf(reward: Reward): string[] {
  const { facts } = CONSOLE_TEXTS.rewards;
  const { cooldown_seconds: cooldown, max_per_stream: most, max_per_user_per_stream: own } = reward;
  return [
    ...(reward.requires_input ? [facts.input] : []),
    ...(reward.skip_queue ? [facts.skip] : []),
    ...(cooldown ? [facts.cooldown(formatDuration(cooldown))] : []),
    ...(most === null ? [] : [facts.perStream(most)]),
    ...(own === null ? [] : [facts.perUser(own)]),
  ];
}
