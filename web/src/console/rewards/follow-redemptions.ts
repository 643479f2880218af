import type { Subscription } from "@livecore/client";
import type { Schemas } from "../../site/page-data.ts";
import { whenRoomMissed } from "../room-topic.ts";

type Redemption = Schemas["Redemption"];
type List = {
  isListed(redemption: Redemption): boolean;
  change(change: (items: readonly Redemption[]) => readonly Redemption[]): void;
  readAgain(): void;
  /** Once for many. */
  readSoon(): void;
};

/** Keeps a list of redemptions as the channel's room tells it, until the returned functions are called. */
export function followRedemptions(
  room: Subscription<`chat:${string}`>,
  { isListed, change, readAgain, readSoon }: List,
): (() => void)[] {
  return [
    ...whenRoomMissed(room, readAgain),
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
