import type { SignedIn } from "../../actors/accounts/tokens/caller.ts";
import type { StaffAccount } from "../../actors/safety/accounts.ts";
import type { CaseHandling } from "../../actors/safety/report-handling.ts";
import type { ByStaff } from "../../actors/safety/sanctions.ts";
import type { Origin } from "../../base/audit.ts";
import { DAY_MS } from "../../base/durations.ts";
import { invalid } from "../../contract/errors.ts";
import type { NewMeasure, ReportHandling as ReportHandlingBody } from "../../contract/wire.ts";
import type { AccountBanDoc } from "../../store/mongo/accounts/account-bans.ts";
import type { AppealDoc } from "../../store/mongo/safety/appeals.ts";
import type { ReportCaseDoc } from "../../store/mongo/safety/reports.ts";
import { REPORT_STATUSES } from "../../store/mongo/safety/reports.ts";
import type { StrikeDoc } from "../../store/mongo/safety/strikes.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage, mapPageBatch } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { publicState, stateChangeView } from "../http/state-change.ts";
import {
  accountBanView,
  reportCaseView,
  staffAppealView,
  staffLogView,
  staffQueueView,
  staffReportView,
  staffSupportView,
  staffUserView,
  strikeView,
} from "./views.ts";

/** Maximum of reports in the view of one case. */
const MAX_REPORTS = 100;

const staffOf = ({ caller, origin }: { caller: SignedIn; origin: Origin }): ByStaff => ({
  userId: caller.userId,
  origin,
});

export function staffRoutes({ bind, bindPage }: Operations, deps: RouteDeps): void {
  const {
    reports,
    reportHandling,
    sanctions,
    appeals,
    support,
    staffLog,
    accountDirectory,
    directory,
    clock,
  } = deps;

  const usersOf = (ids: (string | null | undefined)[]) => directory.usersByIds(ids.flatMap((id) => id ?? []));

  async function caseViews(cases: ReportCaseDoc[], moreUsers: string[] = []) {
    const first = new Map(
      (await reports.firstOf(cases.map(({ _id }) => _id))).map((one) => [one.caseId, one]),
    );
    const people = cases.flatMap(({ _id, subjectUserId, claimedBy, decidedBy }) =>
      [subjectUserId, claimedBy, decidedBy, first.get(_id)?.reporterId].flatMap((id) => id ?? []),
    );
    const messages = cases.filter((one) => one.targetType === "chat_message");
    const [users, contents] = await Promise.all([
      directory.usersByIds([...people, ...moreUsers]),
      messages.length > 0 ? reports.contentsOf(messages.map(({ targetId }) => targetId)) : null,
    ]);
    const views = cases.map((doc) => {
      const content = doc.targetType === "chat_message" ? (contents?.get(doc.targetId) ?? null) : null;
      return reportCaseView(doc, { first: first.get(doc._id), content, users });
    });
    return { views, users };
  }

  async function caseView(doc: ReportCaseDoc) {
    const [view] = (await caseViews([doc])).views;
    if (!view) throw new Error("a case has a view");
    return view;
  }

  bindPage("listReports", ({ query }, range) =>
    mapPageBatch(
      reports.casePage(
        {
          status: query.status ?? null,
          targetType: query.target_type ?? null,
          reasonCode: query.reason_code ?? null,
          order: query.sort ?? "urgent",
        },
        range,
      ),
      async (cases) => (await caseViews(cases)).views,
    ),
  );

  bindPage("listUserReports", async ({ params: { account_id: id } }, range) => {
    await accountDirectory.require(id);
    return mapPageBatch(reports.pageAbout(id, range), async (cases) => (await caseViews(cases)).views);
  });

  bind("getStaffQueues", async () => {
    const since = new Date(clock.now() - DAY_MS);
    const queues = await Promise.all([reports.queue(since), appeals.queue(since), support.queue(since)]);
    const [reported, appealed, asked] = queues;
    return {
      reports: staffQueueView(reported),
      appeals: staffQueueView(appealed),
      support: staffQueueView(asked),
    };
  });

  bindPage("listStaffLog", ({ query }, range) =>
    mapPageBatch(
      staffLog.page(
        { staffId: query.staff_id ?? null, about: query.about ?? null, event: query.event ?? null },
        range,
      ),
      async (rows) => {
        const users = await usersOf(rows.flatMap(({ staffId, accountId }) => [staffId, accountId]));
        return rows.map((row) => staffLogView(row, users));
      },
    ),
  );

  async function banViews(docs: AccountBanDoc[]) {
    const users = await usersOf(docs.flatMap(({ by, liftedBy }) => [by, liftedBy]));
    return docs.map((doc) => accountBanView(doc, users));
  }

  async function strikeViews(docs: StrikeDoc[]) {
    const users = await usersOf(docs.flatMap(({ by, revokedBy }) => [by, revokedBy]));
    return docs.map((doc) => strikeView(doc, users));
  }

  async function accountViews(accounts: StaffAccount[]) {
    const users = await usersOf(accounts.flatMap(({ ban }) => [ban?.by, ban?.liftedBy]));
    return accounts.map((account) => staffUserView(account, users));
  }

  /** The view of one, by what makes those of many. */
  async function one<Doc, View>(doc: Doc, views: (docs: Doc[]) => Promise<View[]>): Promise<View> {
    const [view] = await views([doc]);
    if (view === undefined) throw new Error("each has a view");
    return view;
  }

  bind("getReport", async ({ params }) => {
    const doc = await reports.require(params.report_id);
    const newest = await reports.newestOf(doc._id, MAX_REPORTS);
    const { views, users } = await caseViews(
      [doc],
      newest.flatMap(({ reporterId }) => reporterId ?? []),
    );
    const [view] = views;
    if (!view) throw new Error("a case has a view");
    return { ...view, reports: newest.map((one) => staffReportView(one, doc.status, users)) };
  });

  bind("handleReport", async ({ caller, params, body, origin }) =>
    caseView(await reportHandling.handle(params.report_id, staffOf({ caller, origin }), handlingOf(body))),
  );

  bindPage("listCaseReports", async ({ params }, range) => {
    const { _id, status } = await reports.require(params.report_id);
    return mapPageBatch(reports.pageOfCase(_id, range), async (docs) => {
      const users = await usersOf(docs.map(({ reporterId }) => reporterId));
      return docs.map((doc) => staffReportView(doc, status, users));
    });
  });

  bindPage("getReportHistory", async ({ params }, range) => {
    const { _id } = await reports.require(params.report_id);
    return mapPage(reports.history(_id, range), stateChangeView(stateOf));
  });

  async function appealViews(docs: AppealDoc[]) {
    const now = new Date(clock.now());
    const people = docs.flatMap(({ userId, claimedBy, decidedBy }) =>
      [userId, claimedBy, decidedBy].flatMap((id) => id ?? []),
    );
    const users = await directory.usersByIds(people);
    return docs.map((doc) => staffAppealView(doc, users, now));
  }

  bindPage("listAppeals", ({ query }, range) =>
    mapPageBatch(appeals.page(query.status ?? null, range), appealViews),
  );

  bind("handleAppeal", async ({ caller, params: { appeal_id: id }, body, origin }) => {
    const by = staffOf({ caller, origin });
    const { action, decision, note } = body;
    const handle = () => {
      if (action !== undefined && decision === undefined && note === undefined)
        return action === "claim" ? appeals.claim(id, by) : appeals.release(id, by);
      if (action === undefined && decision !== undefined && note !== undefined)
        return appeals.decide(id, { decision, note }, by);
      const message = "must be an action, or a decision with its note";
      throw invalid({ path: "/body", rule: "oneOf", message });
    };
    const [view] = await appealViews([await handle()]);
    if (!view) throw new Error("an appeal has a view");
    return view;
  });

  bindPage("listUsers", ({ query }, range) => {
    const filter = { q: query.q ?? null, status: query.status ?? null };
    return mapPageBatch(accountDirectory.page(filter, range), accountViews);
  });

  bind("getUser", async ({ params }) => one(await accountDirectory.require(params.account_id), accountViews));

  bind("updateUser", async ({ caller, params, body, origin }) => {
    const by = staffOf({ caller, origin });
    return one(await accountDirectory.setVerified(params.account_id, body.is_verified, by), accountViews);
  });

  bindPage("listAccountBans", ({ params }, range) =>
    mapPageBatch(sanctions.banPage(params.account_id, range), banViews),
  );

  bind("banAccount", async ({ caller, params, body, origin }) => {
    const by = staffOf({ caller, origin });
    const { ban: before } = await accountDirectory.require(params.account_id);
    // Before the ban: once that is committed, nothing may keep it from being answered.
    const users = await usersOf([caller.userId, before?.by]);
    return accountBanView(await sanctions.ban(params.account_id, body.reason, by), users);
  });

  bind("unbanAccount", ({ caller, params, query, origin }) =>
    sanctions.unban(params.account_id, query.ban_id ?? null, staffOf({ caller, origin })),
  );

  bindPage("listStrikes", ({ params }, range) =>
    mapPageBatch(sanctions.strikePage(params.account_id, range), strikeViews),
  );

  bind("giveStrike", async ({ caller, params, body, origin, idempotencyKey: key }) => {
    const { reason } = body;
    const by = staffOf({ caller, origin });
    // As for a ban, to which it may lead.
    const users = await usersOf([caller.userId]);
    return strikeView(await sanctions.strike(params.account_id, { reason, key }, by), users);
  });

  bind("revokeStrike", ({ caller, params, origin }) =>
    sanctions.revokeStrike(params.account_id, params.strike_id, staffOf({ caller, origin })),
  );

  bindPage("listSupportRequests", ({ query }, range) =>
    mapPage(support.page(query.status ?? null, range), staffSupportView),
  );

  bind("getSupportRequest", async ({ params }) => staffSupportView(await support.require(params.support_id)));

  bind("handleSupportRequest", async ({ caller, params, body, origin }) => {
    const handling = { status: body.status, note: body.note ?? null };
    return staffSupportView(await support.handle(params.support_id, handling, staffOf({ caller, origin })));
  });
}

/** Checks which fields go together, as far as the document can't express it. Throws `validation_failed`. */
function handlingOf({ action, measures, note }: ReportHandlingBody): CaseHandling {
  const wrong = (path: string, rule: string, message: string) =>
    invalid({ path: `/body/${path}`, rule, message });
  if (action !== "act" && measures) throw wrong("measures", "dependency", "belong to act");
  if (action === "claim" || action === "release") {
    if (note !== undefined) throw wrong("note", "dependency", "belongs to a decision");
    return { action };
  }
  if (action === "dismiss") return { action, note: note ?? null };
  if (!measures) throw wrong("measures", "required", "are needed to act");
  if (new Set(measures.map(({ type }) => type)).size < measures.length)
    throw wrong("measures", "uniqueItems", "must each be there once");
  return { action, measures: measures.map(measureOf), note: note ?? null };

  function measureOf({ type, reason, duration_seconds, stream_id }: NewMeasure, index: number) {
    const isOfChat = type === "chat_ban";
    if (isOfChat !== (duration_seconds !== undefined))
      throw wrong(
        `measures/${index}/duration_seconds`,
        "dependency",
        "belongs to chat_ban, and is needed there",
      );
    if (!isOfChat && stream_id !== undefined)
      throw wrong(`measures/${index}/stream_id`, "dependency", "belongs to chat_ban");
    return { type, reason, durationSeconds: duration_seconds ?? null, streamId: stream_id ?? null };
  }
}

const DETAILS = ["telling", "told"] as const;

const stateOf = (path: string) => publicState(path, { statuses: REPORT_STATUSES, details: DETAILS });
