/** Badges of bots, staff, roles and subscriptions. Their images are part of the release and served like uploaded ones. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ChatBadge } from "../../../contract/wire.ts";
import {
  BOT_BADGE,
  ROLE_BADGES,
  STAFF_BADGE,
  SUBSCRIBER_BADGES,
} from "../../../realtime/rooms/config/worn-badges.ts";

const BADGES = [
  { id: BOT_BADGE, name: "Bot", color: "#0b7285" },
  { id: STAFF_BADGE, name: "Staff", color: "#1f2933" },
  { id: ROLE_BADGES.owner, name: "Broadcaster", color: "#e5484d" },
  { id: ROLE_BADGES.moderator, name: "Moderator", color: "#2f9e44" },
  { id: ROLE_BADGES.vip, name: "VIP", color: "#c026d3" },
  { id: SUBSCRIBER_BADGES[1], name: "Subscriber", color: "#3b5bdb" },
  { id: SUBSCRIBER_BADGES[2], name: "Subscriber, tier 2", color: "#7048e8" },
  { id: SUBSCRIBER_BADGES[3], name: "Subscriber, tier 3", color: "#f08c00" },
].map((badge) => {
  const bytes = readFileSync(new URL(`./images/${badge.id}.webp`, import.meta.url));
  // Named by a hash of the content, because browsers cache the files forever.
  return { ...badge, bytes, file: `${createHash("sha256").update(bytes).digest("hex")}.webp` };
});

const FILES: ReadonlyMap<string, Buffer> = new Map(BADGES.map(({ file, bytes }) => [file, bytes]));

/** Null for any other file. */
export const builtInFile = (name: string): Buffer | null => FILES.get(name) ?? null;

export const builtInBadges = (publicUrl: string): ChatBadge[] =>
  BADGES.map(({ id, name, color, file }) => ({
    id,
    name,
    color,
    image_url: `${publicUrl}/files/${file}`,
    type: "global",
    channel_id: null,
  }));
