import { newId } from "../../base/ids.ts";

/** Somebody with a display name, which no line of the chat shows. */
export const GRACE = { id: newId(), username: "grace", username_title: "Admiral Grace", image_url: null };

export const tipOf = (amount_cents: number, currency: string) => ({
  tip_id: newId(),
  from_user: GRACE,
  amount_cents,
  currency,
  message: null,
});

export const messageOf = (uuid: string, more: object) => ({
  uuid,
  user_id: GRACE.id,
  username: GRACE.username,
  room_id: 1,
  content: "for the tea",
  type: "message",
  timestamp: Date.now(),
  is_deleted: false,
  reply_to_id: null,
  reply_to_user: null,
  created_at: new Date().toISOString(),
  emotes: [],
  badges: [],
  ...more,
});
