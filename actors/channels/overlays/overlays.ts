import type { Origin } from "../../../base/audit.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { apiTokensIn } from "../../../store/mongo/accounts/api-tokens.ts";
import {
  type OverlayAlertKind,
  type OverlayDoc,
  type OverlayKind,
  type OverlaySettings,
  overlaysIn,
} from "../../../store/mongo/channels/overlays.ts";
import { moderationActionsIn } from "../../../store/mongo/chat/moderation-actions.ts";
import { type ActivityDoc, activityFeedIn } from "../../../store/mongo/discovery/activity-feed.ts";
import type { CursorPage, Range } from "../../../store/mongo/driver/page.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import type { ApiTokens } from "../../accounts/public.ts";
import type { FeatureDeps } from "../../features/deps.ts";
import { createAlertTexts } from "./alert-texts.ts";
import { madeUpAlert, type Overlay, overlayView } from "./view.ts";

const MAX_OVERLAYS = 20;
/** How far back alerts are listed. Overlays show those of five minutes, and what they show is listed while it is on the screen. */
const ALERTS_MS = 6 * MINUTE_MS;
/** Of each kind. */
const MAX_ALERTS = 200;

const USUAL: OverlaySettings = {
  theme: "dark",
  alertKinds: ["follow", "subscription", "gift", "tip", "raid"],
  alertSeconds: 6,
  sound: true,
  volume: 60,
  smallestTipCents: 0,
  fontSize: 20,
  fadeSeconds: 0,
  hidesCommands: false,
  hiddenUsers: [],
};

export type NewLink = Overlay & { token: string };

type Channel = { _id: string; userId: string };
type Owner = { userId: string; sessionId: string };
type OverlaysDeps = Pick<FeatureDeps, "mongo" | "userEvents" | "rooms" | "chatBans" | "clock"> & {
  apiTokens: Pick<ApiTokens, "issueForOverlay" | "announceIssued" | "announceEnded">;
};
type Change = { name?: string; settings?: Partial<OverlaySettings> };

/** The pages that a channel's owner puts into their broadcasting program, each opened by a token of its own. */
export function createOverlays({ mongo, userEvents, apiTokens, clock, ...rest }: OverlaysDeps) {
  const overlays = overlaysIn(mongo.db);
  const tokens = apiTokensIn(mongo.db);
  const activity = activityFeedIn(mongo.db);
  const texts = createAlertTexts({ ...rest, actions: moderationActionsIn(mongo.db), clock });

  async function withLinks(userId: string, docs: readonly OverlayDoc[]): Promise<Overlay[]> {
    const links = new Map((await tokens.ofOverlays(userId)).map((one) => [one.overlayId, one]));
    return docs.map((doc) => ({ doc, link: links.get(doc._id) ?? null }));
  }

  async function require(streamId: string, overlayId: string): Promise<OverlayDoc> {
    const doc = await overlays.findOf(streamId, overlayId);
    if (!doc) throw new ServiceError("not_found");
    return doc;
  }

  return {
    async page({ _id, userId }: Channel, range: Range): Promise<CursorPage<Overlay>> {
      const page = await overlays.page(_id, range);
      return { ...page, items: await withLinks(userId, page.items) };
    },

    /** The overlay that a token opens. Throws not_found once it is deleted. */
    async opened(overlayId: string | undefined): Promise<OverlayDoc> {
      const doc = overlayId === undefined ? null : await overlays.find(overlayId);
      if (!doc) throw new ServiceError("not_found");
      return doc;
    },

    /** Only this answer and that of `renew` have the token. Throws limit_reached. */
    async create(
      { _id: streamId, userId }: Channel,
      { kind, name, settings = {} }: Change & { kind: OverlayKind; name: string },
      owner: Owner,
      origin: Origin,
    ): Promise<NewLink> {
      const doc: OverlayDoc = {
        _id: newId(),
        streamId,
        userId,
        kind,
        name,
        settings: { ...USUAL, ...settings },
        createdAt: new Date(clock.now()),
      };
      const issued = await inTransaction(mongo.client, async (session) => {
        // Writes the account, so that creations come one after the other and the count holds.
        const made = await apiTokens.issueForOverlay(linkOf(doc), owner, session);
        if ((await overlays.count(streamId, MAX_OVERLAYS, session)) >= MAX_OVERLAYS)
          throw new ServiceError("limit_reached", { limit: MAX_OVERLAYS });
        await overlays.insert(doc, session);
        return made;
      });
      await apiTokens.announceIssued(issued, owner.userId, origin);
      return { doc, link: { lastUsedAt: null }, token: issued.token };
    },

    /** Gives it a new token; sockets of the one before are closed. Throws not_found. */
    async renew(
      { _id: streamId }: Channel,
      overlayId: string,
      owner: Owner,
      origin: Origin,
    ): Promise<NewLink> {
      const { doc, issued } = await inTransaction(mongo.client, async (session) => {
        const found = await overlays.renew(streamId, overlayId, new Date(clock.now()), session);
        if (!found) throw new ServiceError("not_found");
        return { doc: found, issued: await apiTokens.issueForOverlay(linkOf(found), owner, session) };
      });
      await apiTokens.announceIssued(issued, owner.userId, origin);
      return { doc, link: { lastUsedAt: null }, token: issued.token };
    },

    /** Throws not_found. */
    async update({ _id: streamId, userId }: Channel, overlayId: string, change: Change): Promise<Overlay> {
      const doc = await overlays.update(streamId, overlayId, change);
      if (!doc) throw new ServiceError("not_found");
      const [overlay = { doc, link: null }] = await withLinks(userId, [doc]);
      const source = { ref: `overlay_update:${newId()}`, version: 1, n: 0 };
      await userEvents.publish("overlay.updated", [{ userId, data: overlayView(overlay) }], source);
      return overlay;
    },

    /** Ends its link as well. Throws not_found. */
    async remove({ _id: streamId, userId }: Channel, overlayId: string, origin: Origin): Promise<void> {
      const ended = await inTransaction(mongo.client, async (session) => {
        if (!(await overlays.remove(streamId, overlayId, session))) throw new ServiceError("not_found");
        return tokens.endOfOverlay(userId, overlayId, session);
      });
      for (const tokenId of ended) await apiTokens.announceEnded(tokenId, userId, origin);
    },

    /** Throws not_found, and invalid_state for one that shows no alerts. */
    async test({ _id: streamId, userId }: Channel, overlayId: string, kind: OverlayAlertKind) {
      const doc = await require(streamId, overlayId);
      if (doc.kind !== "alerts") throw new ServiceError("invalid_state");
      const alert = madeUpAlert(kind, new Date(clock.now()));
      const source = { ref: alert.id, version: 1, n: 0 };
      const data = { overlay_id: overlayId, alert };
      await userEvents.publish("overlay.tested", [{ userId, data }], source);
      return alert;
    },

    /** What an overlay has to show, oldest first; nothing if it shows no alerts. */
    async alerts({ kind, userId, streamId, settings }: OverlayDoc): Promise<ActivityDoc[]> {
      if (kind !== "alerts") return [];
      const from = new Date(clock.now() - ALERTS_MS);
      const found = await activity.since({ userId, streamId }, settings.alertKinds, from, MAX_ALERTS);
      const isWanted = (one: ActivityDoc): boolean =>
        one.kind !== "tip" || (one.doc.amountCents >= settings.smallestTipCents && texts.isDecided(one.doc));
      return texts.asInChat(streamId, found.filter(isWanted));
    },
  };
}

const linkOf = ({ _id: overlayId, streamId, name, kind }: OverlayDoc) => ({
  overlayId,
  streamId,
  name,
  showsActivity: kind === "alerts",
});
