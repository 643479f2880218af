import { nameOf } from "../../components/avatar.tsx";
import { ChannelLink } from "../../components/channel-link.tsx";
import { formatMoment } from "../../formats/dates.ts";
import type { Schemas } from "../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import type { Decisions } from "./use-decisions.ts";

type Props = {
  redemption: Schemas["Redemption"];
  /** Null where it is decided already. */
  decisions: Decisions | null;
};

/** Who redeemed what, with which text, and what decides it. */
export function RedemptionRow({ redemption, decisions }: Props) {
  const texts = CONSOLE_TEXTS.rewards;
  const { id, reward, redeemer, user_input: input, created_at: at } = redemption;
  const named = [reward.title, nameOf(redeemer)] as const;
  return (
    <li>
      {decisions && (
        <label class="check">
          <input
            type="checkbox"
            aria-label={texts.selectOf(...named)}
            checked={decisions.selected.has(id)}
            onChange={({ currentTarget }) => decisions.select([id], currentTarget.checked)}
          />
        </label>
      )}
      <div class="what">
        <b dir="auto">{reward.title}</b>
        {input !== null && (
          <q class="input" dir="auto">
            {input}
          </q>
        )}
        <span class="quiet">
          <ChannelLink channel={redeemer} gone={texts.noAccount} /> · {texts.costs(reward.cost)} ·{" "}
          <time dateTime={at}>{formatMoment(at)}</time>
        </span>
      </div>
      {decisions && (
        <div class="actions">
          {(["fulfil", "refund"] as const).map((action) => (
            <button
              key={action}
              type="button"
              class="button quiet"
              aria-disabled={decisions.isBusy}
              aria-label={texts[`${action}Of`](...named)}
              onClick={() => void decisions.decide([id], action)}
            >
              {texts[action]}
            </button>
          ))}
        </div>
      )}
    </li>
  );
}
