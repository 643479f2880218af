import type { HostInfo, RoomEvents } from "../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../store/mongo/accounts/users.ts";
import type { Hosted, HostingChange } from "../../store/mongo/channels/hosting.ts";
import { userSummary } from "../accounts/public.ts";
import type { OutboxRow } from "../host/outbox-draft.ts";

/** `viewers`: viewers of the hosting channel. */
export const hostInfo = (hosted: Hosted, target: UserWithoutSecrets, viewers: number): HostInfo => ({
  id: hosted.id,
  target_user: {
    id: target._id,
    username: target.username,
    ...(target.imageUrl === null ? {} : { avatar_url: target.imageUrl }),
  },
  is_auto_host: hosted.isAuto,
  viewer_count: viewers,
  started_at: hosted.startedAt.toISOString(),
});

/** Data of the room event `host.started`. */
export const hostStarted = (
  hosted: Hosted,
  { host, target, viewers }: { host: UserWithoutSecrets; target: UserWithoutSecrets; viewers: number },
): RoomEvents["host.started"] => ({
  host_user: userSummary(host),
  target_user: userSummary(target),
  is_auto_host: hosted.isAuto,
  viewer_count: viewers,
  started_at: hosted.startedAt.toISOString(),
});

/** The outbox source that orders a channel's hosting events, in whichever room they are published. */
export const hostingSource = (userId: string) => `hosting:${userId}`;

/** What both rooms get when hosting starts. */
export type HostStarted = { targetStreamId: string; data: RoomEvents["host.started"] };

/** The rows for both rooms of a change: first the end of the previous hosting, then the start of the new one. */
export function hostingRows(
  { userId, streamId, version, ended }: HostingChange,
  started: HostStarted | null,
): OutboxRow[] {
  const own = { actor: hostingSource(userId), version };
  const rows: OutboxRow[] = [];
  if (ended) {
    const data = { host_user_id: userId, target_user_id: ended.targetId };
    for (const room of [streamId, ended.targetStreamId])
      rows.push({ ...own, n: rows.length, target: { room }, type: "host.ended", data });
  }
  if (started) {
    for (const room of [streamId, started.targetStreamId])
      rows.push({ ...own, n: rows.length, target: { room }, type: "host.started", data: started.data });
  }
  return rows;
}
