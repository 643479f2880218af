import type { Settings } from "../../embeds/overlay/settings.ts";
import { parseMoney, plainMoney } from "../../formats/money.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

/** Settings as they are typed. */
export type Draft = Omit<Settings, "smallest_tip_cents" | "hidden_users"> & {
  smallestTip: string;
  hiddenUsers: string;
};
/** What is wrong with what is typed; null if nothing is. */
export type Faults = Record<"smallest_tip_cents" | "hidden_users", string | null>;

/** Tips are compared as amounts of two decimals, whatever their currency. */
const CURRENCY = "USD";
const MOST_CENTS = 100_000;
const MOST_USERS = 20;
const LONGEST_NAME = 25;

export function draftOf({ smallest_tip_cents, hidden_users, ...rest }: Settings): Draft {
  const smallestTip = plainMoney(smallest_tip_cents, CURRENCY);
  return { ...rest, smallestTip, hiddenUsers: hidden_users.join(", ") };
}

/** What is wrong is as it usually is. */
export function settingsOf({ smallestTip, hiddenUsers, ...rest }: Draft): {
  settings: Settings;
  faults: Faults;
} {
  const texts = CONSOLE_TEXTS.overlays.form;
  const cents = smallestTip.trim() === "" ? 0 : parseMoney(smallestTip, CURRENCY);
  const users = [...new Set(hiddenUsers.split(/[\s,]+/).filter((name) => name !== ""))];
  const isTipRight = cents !== null && cents <= MOST_CENTS;
  const isListRight = users.length <= MOST_USERS && users.every(({ length }) => length <= LONGEST_NAME);
  return {
    settings: {
      ...rest,
      smallest_tip_cents: isTipRight ? cents : 0,
      hidden_users: isListRight ? users : [],
    },
    faults: {
      smallest_tip_cents: isTipRight ? null : texts.smallestTipFault,
      hidden_users: isListRight ? null : texts.hiddenUsersFault,
    },
  };
}
