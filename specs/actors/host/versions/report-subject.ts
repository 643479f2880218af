import { reportDefinition } from "../../../../actors/safety/report/definition.ts";
import type { ReportContext } from "../../../../actors/safety/report/machine.ts";
import { newId } from "../../../../base/ids.ts";
import type { UserDoc } from "../../../../store/mongo/accounts/users.ts";
import type { World } from "../world.ts";
import type { KeptSnapshot } from "./kept.ts";
import type { Stage, Subject } from "./stage.ts";

const STAFF = "0197b7a0-0000-7000-8000-0000000000bb";

export function reportSubject(world: World): Subject {
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
