import type { Subscription } from "@livecore/client";
import type { Schemas } from "../../site/page-data.ts";

type Redemption = Schemas["Redemption"];
type List = {
  isListed(redemption: Redemption): boolean;
  change(change: (items: readonly Redemption[]) => readonly Redemption[]): void;
  readAgain(): void;
};

/** So many redemptions with a text are read at once. */
const READ_WITHIN_MS = 1_000;

/** Keeps a list of redemptions as the channel's room tells it, until the returned functions are called. */
export function followRedemptions(
  room: Subscription<`chat:${string}`>,
  { isListed, change, readAgain }: List,
): (() => void)[] {
  let reading: ReturnType<typeof setTimeout> | undefined;
  const readSoon = (): void => {
    reading ??= setTimeout(() => {
      reading = undefined;
      readAgain();
    }, READ_WITHIN_MS);
  };
  return [
    () => clearTimeout(reading),
    room.on("subscribed", ({ data }) => {
      if (data.recovered !== true) readAgain();
    }),
    room.on("room.epoch", ({ data }) => {
      if (!data.continuous) readAgain();
    }),
    room.on("redemption.created", ({ data }) => {
      if (!isListed(data)) return;
      // What the redeemer wrote isn't said to the room.
      if (data.reward.requires_input) readSoon();
      else change((items) => [data, ...items]);
    }),
    room.on("redemption.updated", ({ data }) => {
      // One that gets into this list comes from another one, which has its text.
      if (isListed(data)) readSoon();
      else change((items) => items.filter(({ id }) => id !== data.id));
    }),
  ];
}
