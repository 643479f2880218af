import { FIRST_TAGS, type RenewalPosition, renewTags } from "../../discovery/tag-renewal.ts";
import type { Migration } from "./migration.ts";

/** Lists also find the old forms, which workers of the previous release go on writing until a nightly job renews them. */
export const tagsAsSeen: Migration = {
  number: 11,
  name: "tags as seen",
  contracts: false,
  async run(db) {
    for (let at: RenewalPosition | null = FIRST_TAGS; at !== null; ) at = (await renewTags(db, at)).next;
  },
};
