import type { components } from "@livecore/client";
import { formatMoney } from "../formats/money.ts";
import { TEXTS } from "../texts/embedded.ts";

type Act = components["schemas"]["ChatAct"];

/** What the author of a message did with it; null for an act that this page doesn't know. */
export function actOf({ amount_cents, currency, reward_title }: Act): string | null {
  if (amount_cents !== undefined && currency !== undefined)
    return TEXTS.chat.tip(formatMoney(amount_cents, currency));
  return reward_title === undefined ? null : TEXTS.chat.redemption(reward_title);
}
