import type { MemberRole } from "../../actors/channels/channel-roles.ts";
import { ownUnbanRequestView, unbanRequestView } from "../../actors/chat/unban-request/view.ts";
import type { Origin } from "../../base/audit.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { OwnUnbanRequest, UnbanRequest } from "../../contract/wire.ts";
import { UNBAN_REQUEST_STATUSES, type UnbanRequestDoc } from "../../store/mongo/chat/unban-requests.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage, mapPageBatch } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { publicState, stateChangeView } from "../http/state-change.ts";

type Decided = { doc: UnbanRequestDoc; role: MemberRole; by: string; origin: Origin };

export function unbanRequestRoutes({ bind, bindPage }: Operations, deps: RouteDeps): void {
  const { unbanRequests, chatBans, directory, audit } = deps;

  /** Of one channel. */
  async function viewsOf(docs: UnbanRequestDoc[]): Promise<UnbanRequest[]> {
    const pending = docs.filter(({ isPending }) => isPending).map(({ userId }) => userId);
    const found = await chatBans.bansOf(docs[0]?.streamId ?? "", pending);
    const bans = new Map(found.filter(({ until }) => until === null).map((ban) => [ban.userId, ban]));
    const people = docs.flatMap(({ userId, resolvedBy }) => [userId, resolvedBy, bans.get(userId)?.by]);
    const users = await directory.usersByIds(people.filter((id) => typeof id === "string"));
    return docs.map((doc) => unbanRequestView(doc, { users, ban: bans.get(doc.userId) ?? null }));
  }

  async function ownViewsOf(docs: UnbanRequestDoc[]): Promise<OwnUnbanRequest[]> {
    const users = await directory.usersByIds(docs.map(({ channelUserId }) => channelUserId));
    return docs.map((doc) => ownUnbanRequestView(doc, users));
  }

  async function viewOfDecided({ doc, role, by: userId, origin }: Decided): Promise<UnbanRequest> {
    const { streamId, userId: accountId, status } = doc;
    const action = status === "approved" ? "unban" : "unban_request_denied";
    audit("moderation.acted", { userId, origin }, { streamId, accountId, action, standing: role });
    return first(await viewsOf([doc]));
  }

  bindPage("listUnbanRequests", ({ stream, query }, range) =>
    mapPageBatch(unbanRequests.page(stream._id, query.status ?? null, range), viewsOf),
  );

  bindPage("listMyUnbanRequests", ({ caller, query }, range) =>
    mapPageBatch(unbanRequests.pageOfUser(caller.userId, query.stream_id ?? null, range), ownViewsOf),
  );

  bind("createUnbanRequest", async ({ caller, stream, body: { message }, idempotencyKey: key }) => {
    const doc = await unbanRequests.request({ stream, message, by: caller.userId, key });
    return first(await ownViewsOf([doc]));
  });

  bind("approveUnbanRequest", async ({ caller, stream, role, params, body, origin, idempotencyKey: key }) => {
    const { _id } = await unbanRequests.requireIn(stream._id, params.unban_request_id);
    const by = caller.userId;
    const doc = await unbanRequests.approve(_id, { by, key, note: body?.note ?? null });
    return viewOfDecided({ doc, role, by, origin });
  });

  bind("denyUnbanRequest", async ({ caller, stream, role, params, body, origin, idempotencyKey: key }) => {
    const { _id } = await unbanRequests.requireIn(stream._id, params.unban_request_id);
    const by = caller.userId;
    const doc = await unbanRequests.deny(_id, { by, key, note: body?.note ?? null });
    return viewOfDecided({ doc, role, by, origin });
  });

  bindPage("getUnbanRequestHistory", async ({ caller, stream, role, params }, range) => {
    const request = await unbanRequests.requireIn(stream._id, params.unban_request_id);
    const isShown = role === "owner" || role === "staff";
    if (!isShown && caller.userId !== request.userId) throw new ServiceError("forbidden");
    return mapPage(unbanRequests.history(request._id, range), (change) => {
      const { detail: _none, ...view } = changeView(change);
      // The user isn't told which moderator decided.
      return isShown || view.by === caller.userId ? view : { ...view, by: null };
    });
  });
}

function first<Item>([item]: Item[]): Item {
  if (item === undefined) throw new Error("one document has one view");
  return item;
}

const changeView = stateChangeView((path) =>
  publicState(path, { statuses: UNBAN_REQUEST_STATUSES, details: [] }),
);
