import { newId } from "../../../base/ids.ts";

/** A ModerationAction as moderators receive it; without `on` it concerns the whole room. */
export function modAction({ by, on, room }: { by: string; on?: string; room: number }) {
  const summary = (id: string) => ({
    id,
    username: `u${id.slice(-6)}`,
    username_title: null,
    image_url: null,
  });
  return {
    id: newId(),
    room_id: String(room),
    actor: summary(by),
    target: on === undefined ? null : summary(on),
    action: on === undefined ? "clear" : "ban",
    reason: null,
    duration_seconds: null,
    created_at: new Date().toISOString(),
  };
}
