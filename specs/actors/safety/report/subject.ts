import { expect } from "chai";
import type { Db } from "mongodb";
import { reportDefinition } from "../../../../actors/safety/report/definition.ts";
import type { ReportContext } from "../../../../actors/safety/report/machine.ts";
import { CLAIM_MS } from "../../../../actors/safety/report/machine.ts";
import { newId } from "../../../../base/ids.ts";
import type { UserDoc } from "../../../../store/mongo/accounts/users.ts";
import type { MeasureDoc, ReportCaseDoc } from "../../../../store/mongo/safety/reports.ts";
import type { StoredActor, Subject } from "../../host/subject.ts";
import { eachOf, setClock } from "../../host/timers-after-downtime/waiting.ts";
import type { KeptSnapshot } from "../../host/versions/kept.ts";
import type { Driver, Stage } from "../../host/versions/stage.ts";
import type { World } from "../../host/world.ts";

const STAFF = "0197b7a0-0000-7000-8000-0000000000bb";

function driver(world: World): Driver {
  const report = (reporterId: string | null) =>
    ({ type: "report", reportId: newId(), reporterId, reasonCode: "hate", details: "Insults" }) as const;
  const claim = (staffId = STAFF) => ({ type: "claim", staffId }) as const;
  const measures = [
    { id: newId(), type: "warning", reason: "Be kind", durationSeconds: null, streamId: null },
    { id: newId(), type: "strike", reason: "Be kind", durationSeconds: null, streamId: null },
  ];
  const act = { type: "act", staffId: STAFF, measures, note: "Once more, and we see" };
  const dismiss = { type: "dismiss", staffId: STAFF, note: null };

  /** A report case with two reporters. */
  async function reported(stage: Stage): Promise<string> {
    const [id, userId] = [newId(), await world.user()];
    await stage.create(id, { targetType: "user", targetId: userId, subjectUserId: userId, streamId: null });
    await stage.send(id, report(newId()));
    await stage.send(id, report(null));
    return id;
  }

  return {
    definition: reportDefinition(world.mongo.db),
    beside: ["report_cases", "reports", "users", "strikes", "account_bans"],

    async drive(stage) {
      const acted = await reported(stage);
      await stage.keep(acted);
      await stage.send(acted, claim());
      await stage.keep(acted);
      await stage.send(acted, act);
      await stage.keep(acted);
      await stage.fireNext(acted);
      await stage.keep(acted);

      const dismissed = await reported(stage);
      await stage.send(dismissed, claim());
      await stage.send(dismissed, dismiss);
      await stage.keep(dismissed);
      await stage.fireNext(dismissed);
      await stage.keep(dismissed);
    },

    async plant({ context }: KeptSnapshot) {
      const { subjectUserId: _id } = context as Pick<ReportContext, "subjectUserId">;
      // Only the account's status is read.
      const users = world.mongo.db.collection<Pick<UserDoc, "_id" | "status" | "isStaff">>("users");
      await users.insertOne({ _id, status: "active", isStaff: false });
    },

    commands: () => ({
      report: report(newId()),
      "claim, by the claimer": claim(),
      "claim, by another": claim(newId()),
      release: { type: "release", staffId: STAFF },
      "release, by another": { type: "release", staffId: newId() },
      act,
      dismiss,
    }),
  };
}

/** Checks that all measures of a decided report were applied, and none of an undecided one. */
async function expectCase(db: Db, { id, status, context }: StoredActor): Promise<void> {
  const doc = await db.collection<ReportCaseDoc>("report_cases").findOne({ _id: id });
  const isOpen = status === "open" || status === "reviewing";
  const { claimedBy, decidedBy, reportCount, measures } = context;
  expect(doc, `the document of report ${id}`).deep.include({
    status,
    isOpen,
    claimedBy,
    decidedBy,
    measures,
  });
  expect(await db.collection("reports").countDocuments({ caseId: id }), `reports of ${id}`).equal(
    reportCount,
  );
  const types = status === "actioned" ? (doc?.measures ?? []).map(({ type }) => type) : [];
  const countOf = (type: MeasureDoc["type"]) => types.filter((one) => one === type).length;
  const done = (collection: string) => db.collection(collection).countDocuments({ reportId: id });
  expect(await done("strikes"), `strikes of ${id}`).equal(countOf("strike"));
  expect(await done("account_bans"), `bans of ${id}`).equal(countOf("account_ban"));
  const reported = await db.collection<UserDoc>("users").findOne({ _id: doc?.subjectUserId ?? "" });
  if (types.includes("account_ban")) expect(reported?.status).equal("banned");
}

export const reportSubject: Subject = {
  machine: "report",
  driver,
  timers: {
    reviewing: ["report.reviewing"],
    "actioned.telling": ["settle"],
    "dismissed.telling": ["settle"],
  },
  agrees: expectCase,
  announces: () => [],
  ofChannel: (db, { streamId }) =>
    db.collection<ReportCaseDoc>("report_cases").distinct("_id", { targetId: streamId }),
  waiting: {
    claim: {
      event: "xstate.after.claimOver.report.reviewing",
      make: (world, dues) =>
        eachOf(dues, async (due) => {
          const { _id: targetId } = await world.stream();
          const about = { targetType: "stream", targetId, reasonCode: "spam", details: null } as const;
          setClock(world, due - CLAIM_MS);
          const { caseId } = await world.reports.report({ reporterId: newId(), ...about });
          setClock(world, due - CLAIM_MS);
          await world.reports.claim({ caseId, staffId: newId() });
        }),
    },
  },
};
