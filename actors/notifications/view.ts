import { formatMoney } from "../../base/format-money.ts";
import type { Notification, NotificationAbout } from "../../contract/wire.ts";
import type { Streams } from "../../store/mongo/channels/streams.ts";
import { isListed, type Listed } from "../../store/mongo/notifications/notification-facts.ts";
import type { NotificationDoc } from "../../store/mongo/notifications/notifications.ts";
import type { Directory } from "../accounts/public.ts";

export type ViewDeps = {
  directory: Pick<Directory, "usersByIds">;
  streams: Pick<Streams, "findMany">;
  /** The base URL of channels' pages. */
  publicUrl: string;
};

/** The user that a notification shows, the owner of the linked channel if that is another user, and any other user named. */
type About = { actorId: string | null; channelId?: string; otherId?: string };
type Owners = ReadonlyMap<string, string>;

function aboutOf({ kind, data }: Listed, userId: string, owners: Owners): About {
  switch (kind) {
    case "stream_live":
      return { actorId: owners.get(data.streamId) ?? null };
    case "mention":
      return { actorId: data.authorId, channelId: owners.get(data.streamId) ?? userId };
    case "follower":
      return { actorId: data.followerId };
    case "raid":
      return { actorId: data.sourceUserId };
    case "clip":
      return { actorId: data.creatorId, channelId: userId };
    case "subscription":
      return { actorId: data.subscriberId };
    case "gift":
      return { actorId: data.giverId, otherId: data.subscriberId };
    case "gift_received":
      return { actorId: data.giverId, channelId: data.channelUserId };
    case "tip":
      return { actorId: data.fromUserId };
    case "unban_request":
      // Not which moderator decided.
      return { actorId: null, channelId: owners.get(data.streamId) ?? userId };
  }
}

type Names = { actor: string; channel: string; other: string };

function textOf(
  { kind, data }: Listed,
  { actor, channel, other }: Names,
): { title: string; message: string } {
  switch (kind) {
    case "stream_live":
      return { title: "Live now", message: `${actor} is live.` };
    case "mention":
      return { title: "Mention", message: `${actor} mentioned you in ${channel}'s chat.` };
    case "follower":
      return { title: "New follower", message: `${actor} follows you.` };
    case "raid": {
      const viewers = data.viewers === 1 ? "1 viewer" : `${data.viewers} viewers`;
      return { title: "Raid", message: `${actor} raided you with ${viewers}.` };
    }
    case "clip":
      return { title: "New clip", message: `${actor} created a clip of your stream.` };
    case "subscription":
      return { title: "New subscriber", message: `${actor} subscribed at tier ${data.tier}.` };
    case "gift":
      return { title: "Gift", message: `${actor} gifted ${other} a tier ${data.tier} subscription.` };
    case "gift_received":
      return {
        title: "Gift",
        message: `${actor} gifted you a tier ${data.tier} subscription to ${channel}.`,
      };
    case "tip":
      return { title: "New tip", message: `${actor} sent you ${formatMoney(data)}.` };
    case "unban_request":
      return data.status === "approved"
        ? { title: "Unban request approved", message: `You can chat in ${channel}'s chat again.` }
        : { title: "Unban request denied", message: `You stay banned from ${channel}'s chat.` };
  }
}

/** What the text says beside names. */
function figuresOf({ kind, data }: Listed): NotificationAbout {
  switch (kind) {
    case "raid":
      return { viewers: data.viewers };
    case "clip":
      return { clip_id: data.clipId };
    case "subscription":
    case "gift":
    case "gift_received":
      return { tier: data.tier };
    case "tip":
      return { amount_cents: data.amountCents, currency: data.currency };
    case "unban_request":
      return { is_approved: data.status === "approved" };
    case "stream_live":
    case "mention":
    case "follower":
      return {};
  }
}

/** Kinds that happen in a channel which needn't be the recipient's. */
const IN_CHANNEL: ReadonlySet<Listed["kind"]> = new Set(["mention", "gift_received", "unban_request"]);

export type Views = ReturnType<typeof createNotificationViews>;

/** Renders notifications with current names and pictures. Kinds that only a newer release knows are left out. */
export function createNotificationViews({ directory, streams, publicUrl }: ViewDeps) {
  async function ownersOf(docs: readonly NotificationDoc[]): Promise<Owners> {
    const ids = docs.flatMap(({ told }) => ("streamId" in told.data ? [told.data.streamId] : []));
    if (ids.length === 0) return new Map();
    const found = await streams.findMany([...new Set(ids)]);
    return new Map(found.map(({ _id, userId }) => [_id, userId]));
  }

  return async function views(all: readonly NotificationDoc[]): Promise<Notification[]> {
    const docs = all.filter(({ told }) => isListed(told));
    const owners = await ownersOf(docs);
    const lines = docs.map((doc) => ({ doc, about: aboutOf(doc.told, doc.userId, owners) }));
    const ids = lines.flatMap(({ about: { actorId, channelId, otherId } }) => [actorId, channelId, otherId]);
    const users = await directory.usersByIds(ids.filter((id) => typeof id === "string"));
    const visible = (id: string | null | undefined) => {
      const user = id ? users.get(id) : undefined;
      return user && user.status !== "deleted" ? user : undefined;
    };
    const name = (id: string | null | undefined) => visible(id)?.usernameTitle ?? "Someone";

    return lines.map(({ doc, about: { actorId, channelId, otherId } }) => {
      const leadsTo = visible(channelId ?? actorId);
      const [actor, channel, other] = [visible(actorId), visible(channelId), visible(otherId)];
      return {
        id: doc._id,
        user_id: doc.userId,
        type: doc.type,
        kind: doc.told.kind,
        about: {
          ...(actor ? { actor_name: actor.usernameTitle } : {}),
          ...(channel && IN_CHANNEL.has(doc.told.kind) ? { channel_name: channel.usernameTitle } : {}),
          ...(other ? { recipient_name: other.usernameTitle } : {}),
          ...figuresOf(doc.told),
        },
        ...textOf(doc.told, { actor: name(actorId), channel: name(channelId), other: name(otherId) }),
        ...(leadsTo ? { link: `${publicUrl}/${leadsTo.username}` } : {}),
        ...(actor?.imageUrl ? { image_url: actor.imageUrl } : {}),
        ...(actor ? { actor_id: actor._id } : {}),
        is_read: doc.isRead,
        created_at: doc.createdAt.toISOString(),
      };
    });
  };
}
