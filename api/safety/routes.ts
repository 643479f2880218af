import type { AccountParts } from "../../actors/accounts/accounts.ts";
import { userIdOf, type Viewer, viewerOf } from "../../actors/accounts/tokens/caller.ts";
import { isUuid } from "../../base/ids.ts";
import { invalid, ServiceError } from "../../contract/errors.ts";
import type { NewSupportRequest } from "../../contract/wire.ts";
import type { ReportDoc } from "../../store/mongo/safety/reports.ts";
import type { SupportRequestDoc } from "../../store/mongo/safety/support-requests.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage, mapPageBatch } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { appealView, ownChatBanView, ownStrikeView, reportView, supportView } from "./views.ts";

/** The part of safety that everybody may use; that of staff is in staff-routes.ts. */
export function safetyRoutes(
  { bind, bindPage }: Operations,
  deps: RouteDeps & Pick<AccountParts, "accountBans">,
): void {
  const { reports, appeals, support, sanctions, accountBans, chatBans } = deps;
  const { streams, directory, clips, clock } = deps;

  /** A private clip is as if it had never been. Throws `not_found`. */
  async function requireClip(id: string, viewer: Viewer): Promise<void> {
    if (!isUuid(id) || !(await clips.maySee(await clips.require(id), viewer)))
      throw new ServiceError("not_found");
  }

  async function reportViews(docs: ReportDoc[]) {
    const [statuses, users] = await Promise.all([
      reports.statusesOf(docs),
      directory.usersByIds(docs.flatMap(({ reporterId }) => reporterId ?? [])),
    ]);
    return docs.map((doc) => reportView(doc, statuses.get(doc._id) ?? "open", users));
  }

  bind("createReport", async ({ caller, body }) => {
    if (body.target_type === "clip") await requireClip(body.target_id, viewerOf(caller));
    const made = await reports.report({
      reporterId: userIdOf(caller),
      targetType: body.target_type,
      targetId: body.target_id,
      reasonCode: body.reason_code,
      details: body.details ?? null,
    });
    const [view] = await reportViews([made]);
    if (!view) throw new Error("a report has a view");
    return view;
  });

  bindPage("listMyReports", ({ caller }, range) =>
    mapPageBatch(reports.pageOf(caller.userId, range), reportViews),
  );

  bindPage("listMyStrikes", ({ caller }, range) =>
    mapPage(sanctions.ownStrikes(caller.userId, range), ownStrikeView),
  );

  bindPage("listMyChatBans", ({ caller }, range) => {
    const now = new Date(clock.now());
    return mapPageBatch(chatBans.pageOf(caller.userId, now, range), async (bans) => {
      const rooms = await streams.findMany(bans.map(({ streamId }) => streamId));
      const owners = new Map(rooms.map(({ _id, userId }) => [_id, userId]));
      const users = await directory.usersByIds([...owners.values()]);
      return bans.map((ban) => ownChatBanView(ban, { ownerId: owners.get(ban.streamId) ?? null, users }));
    });
  });

  bind("createAppeal", async ({ caller, body }) => {
    const { subject_type: subjectType, subject_id: subjectId, message, appeal_token: token } = body;
    const subject = { subjectType, subjectId, message };
    const userId = caller.kind === "user" ? caller.userId : appellant(token, subjectType, subjectId);
    return appealView(await appeals.appeal({ userId, ...subject }), new Date(clock.now()));
  });

  /** The user whose token it is. A valid token is for its own ban only: for any other subject this throws not_found. */
  function appellant(token: string | undefined, subjectType: string, subjectId: string): string {
    if (token === undefined) throw new ServiceError("auth_required");
    const found = accountBans.appellantOf(token);
    if (!found) throw new ServiceError("invalid_token");
    if (subjectType !== "ban" || subjectId !== found.banId) throw new ServiceError("not_found");
    return found.userId;
  }

  bindPage("listMyAppeals", ({ caller }, range) => {
    const now = new Date(clock.now());
    return mapPage(appeals.pageOf(caller.userId, range), (one) => appealView(one, now));
  });

  bind("createSupportRequest", async ({ caller, body }) => {
    const { kind, email, subject, message } = body;
    const userId = userIdOf(caller);
    return supportView(
      await support.request({ kind, email, subject, message, userId, dmca: takedown(body) }),
    );
  });
}

/** All fields are required with `dmca`, and none is allowed otherwise. Throws `validation_failed`. */
function takedown(body: NewSupportRequest): SupportRequestDoc["dmca"] {
  const { kind, work, urls, good_faith: goodFaith, signature } = body;
  const given = Object.entries({ work, urls, good_faith: goodFaith, signature });
  const isTakedown = kind === "dmca";
  const wrong = given.filter(([, value]) => (value !== undefined) !== isTakedown);
  if (isTakedown && goodFaith === false) wrong.push(["good_faith", goodFaith]);
  if (wrong.length > 0) {
    const message = isTakedown ? "is needed with dmca" : "belongs to dmca";
    const errors = wrong.map(([name]) => ({ path: `/body/${name}`, rule: "dependency", message }));
    throw invalid(...errors);
  }
  if (work === undefined || urls === undefined || signature === undefined) return null;
  return { work, urls, goodFaith: true, signature };
}
