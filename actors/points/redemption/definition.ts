import type { Db } from "mongodb";
import { Conflict } from "../../../base/failures/conflict.ts";
import { type UserWithoutSecrets, usersIn } from "../../../store/mongo/accounts/users.ts";
import { touchActivity } from "../../../store/mongo/channels/activity-marks.ts";
import { type RedemptionDoc, redemptionsIn } from "../../../store/mongo/points/redemptions.ts";
import type { ActorDefinition } from "../../host/definition.ts";
import type { EffectBatch, EffectHandlers } from "../../host/effect.ts";
import { pointsChanged, post } from "../ledger/post.ts";
import {
  REDEMPTION_VERSION,
  type RedemptionCommand,
  type RedemptionContext,
  type RedemptionEffects,
  type RedemptionInput,
  redemptionCommands,
  redemptionContext,
  redemptionInput,
  redemptionMachine,
} from "./machine.ts";
import { refundOf, saleMarkOf } from "./refund.ts";
import { decisionOf, redemptionView, roomRedemptionView } from "./view.ts";

type RedemptionReads = { redemption: RedemptionDoc | null; redeemer: UserWithoutSecrets | null };

export type RedemptionTypes = {
  command: RedemptionCommand;
  event: RedemptionCommand;
  context: RedemptionContext;
  input: RedemptionInput;
  effects: RedemptionEffects;
  reads: RedemptionReads;
  answer: { redemption: RedemptionDoc; redeemer: UserWithoutSecrets | null };
};

export type RedemptionDefinition = ActorDefinition<RedemptionTypes>;

export function redemptionDefinition(db: Db): RedemptionDefinition {
  const redemptions = redemptionsIn(db);
  const users = usersIn(db);
  return {
    name: "redemption",
    version: REDEMPTION_VERSION,
    machine: redemptionMachine,
    context: redemptionContext,
    input: redemptionInput,
    commands: redemptionCommands,

    async prepare({ id, context, pending }) {
      const redeemerId = context?.redeemerId ?? pending.find(({ input }) => input)?.input?.redeemerId;
      const [redemption, redeemer] = await Promise.all([
        redemptions.find(id),
        redeemerId === undefined ? null : users.loadWithoutSecrets(redeemerId),
      ]);
      return { redemption, redeemer };
    },

    // Redemptions that skipped the queue, or were refunded with their deleted reward, ended without an actor.
    refuseCreation({ redeemerId }, { redemption }) {
      // The row of an erased redeemer has another user id; who read it before must read it again.
      if (redemption?.redeemerId !== redeemerId) return { code: "not_found" };
      const { status } = redemption;
      return status === "pending" ? null : { code: "invalid_state", details: { status } };
    },
    effects: redemptionEffects(db),
    answer: (_state, { reads: { redeemer, ...reads } }) => ({ redemption: known(reads), redeemer }),
  };
}

type Batch = EffectBatch<undefined, RedemptionContext, RedemptionReads>;

function redemptionEffects(db: Db): EffectHandlers<RedemptionTypes> {
  const redemptions = redemptionsIn(db);
  return {
    conclude: {
      apply({ after, by }, reads) {
        const status = after.status === "fulfilled" ? "fulfilled" : "refunded";
        reads.redemption = { ...known(reads), status, endedAt: after.at, endedBy: by };
      },
      async write(batches: Batch[], session) {
        const docs = batches.map(({ reads }) => known(reads));
        const ends = docs.map(({ _id, redeemerId, endedAt, endedBy, status }) => ({
          _id,
          redeemerId,
          endedAt,
          endedBy,
          status: status === "fulfilled" ? ("fulfilled" as const) : ("refunded" as const),
        }));
        // Meanwhile its reward was deleted, or its redeemer was erased.
        if (!(await redemptions.end(ends, session))) throw new Conflict("not pending any more");
        const refunded = batches.filter(({ reads }) => known(reads).status === "refunded");
        await touchActivity(
          db,
          refunded.map(({ reads }) => saleMarkOf(known(reads))),
        );
        const refunds = refunded.map(({ reads, now }) => refundOf(known(reads), now));
        const entries = new Map((await post(db, refunds, session)).map((entry) => [entry.ref, entry]));
        for (const { reads, outbox, now } of batches) {
          const doc = known(reads);
          const entry = entries.get(doc._id);
          if (entry) outbox.user(doc.redeemerId, "points.changed", pointsChanged(entry));
          outbox.room(doc.streamId, "redemption.updated", roomRedemptionView(doc, reads.redeemer));
          outbox.notify(decisionOf(doc, now));
          outbox.user(doc.redeemerId, "redemption.updated", redemptionView(doc, reads.redeemer));
        }
      },
    },
  };
}

function known({ redemption }: Pick<RedemptionReads, "redemption">): RedemptionDoc {
  if (!redemption) throw new Error("a redemption's actor has a redemption");
  return redemption;
}
