import { signal } from "@preact/signals";
import type { Schemas } from "../site/page-data.ts";
import { whenUserLeaves } from "../site/session.ts";
import type { RaidUpdate } from "./outgoing-raid.ts";

type Arrival = { from: Schemas["UserSummary"]; targetUserId: string };

/** The raid by which the reader came to the page that is shown; null if none brought them. */
export const arrival = signal<Arrival | null>(null);
whenUserLeaves(() => {
  arrival.value = null;
});

export function cameWith({ source_user, target_user }: RaidUpdate): void {
  arrival.value = { from: source_user, targetUserId: target_user.id };
}
