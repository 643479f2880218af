import { expect } from "chai";
import type { Db } from "mongodb";
import { unbanRequestDefinition } from "../../../../actors/chat/unban-request/definition.ts";
import {
  UNBAN_REQUEST_EXPIRY_MS,
  type UnbanRequestContext,
} from "../../../../actors/chat/unban-request/machine.ts";
import { newId } from "../../../../base/ids.ts";
import { channelRolesIn } from "../../../../store/mongo/channels/channel-roles.ts";
import type { StreamDoc } from "../../../../store/mongo/channels/streams.ts";
import type { ModerationActionDoc } from "../../../../store/mongo/chat/moderation-actions.ts";
import type { UnbanRequestDoc } from "../../../../store/mongo/chat/unban-requests.ts";
import { streamDoc } from "../../../support/stream-doc.ts";
import type { StoredActor, Subject } from "../../host/subject.ts";
import { eachOf, setClock } from "../../host/timers-after-downtime/waiting.ts";
import type { KeptSnapshot } from "../../host/versions/kept.ts";
import type { Driver, Stage } from "../../host/versions/stage.ts";
import type { World } from "../../host/world.ts";
import { bannedIn } from "./banned-in.ts";

const MODERATOR = "0197b7a0-0000-7000-8000-0000000000cc";

function driver(world: World): Driver {
  const { db } = world.mongo;
  const decide = (type: "approve" | "deny") => ({ type, moderatorId: MODERATOR, note: "Be kind" });

  async function moderates(streamId: string): Promise<void> {
    const role = { streamId, userId: MODERATOR, role: "moderator" as const, grantedBy: MODERATOR };
    await channelRolesIn(db).setRole({ ...role, createdAt: new Date(world.clock.now()) });
  }

  async function requested(stage: Stage): Promise<string> {
    const { _id: streamId, userId: channelUserId } = await world.stream();
    const [id, userId] = [newId(), await bannedIn(world, streamId)];
    await moderates(streamId);
    await stage.create(id, { streamId, channelUserId, userId, message: "I won't do it again." });
    return id;
  }

  return {
    definition: unbanRequestDefinition(db),
    beside: ["unban_requests", "chat_bans", "streams", "moderation_actions", "notification_facts"],

    async drive(stage) {
      const approved = await requested(stage);
      await stage.keep(approved);
      await stage.send(approved, decide("approve"));
      await stage.keep(approved);
      const denied = await requested(stage);
      await stage.send(denied, decide("deny"));
      await stage.keep(denied);
      const expired = await requested(stage);
      await stage.fireNext(expired);
      await stage.keep(expired);
    },

    async plant({ context }: KeptSnapshot) {
      const { streamId: _id, channelUserId, userId } = context as UnbanRequestContext;
      await db.collection<StreamDoc>("streams").insertOne({ ...streamDoc({ userId: channelUserId }), _id });
      await bannedIn(world, _id, userId);
      await moderates(_id);
    },

    commands: () => ({ approve: decide("approve"), deny: decide("deny"), banLifted: { type: "banLifted" } }),
  };
}

/** The document has what the actor has, and an approved one has lifted the ban, once. */
async function expectRequest(db: Db, { id, status, context }: StoredActor): Promise<void> {
  const { userId, streamId, message, note, resolvedBy } = context;
  const doc = await db.collection<UnbanRequestDoc>("unban_requests").findOne({ _id: id });
  const isPending = status === "pending";
  const stored = { status, isPending, userId, streamId, message, note, resolvedBy };
  expect(doc, `the document of unban request ${id}`).deep.include(stored);
  const logged = await db
    .collection<ModerationActionDoc>("moderation_actions")
    .find({ streamId: doc?.streamId ?? "", targetId: doc?.userId ?? "" })
    .toArray();
  const acts = { pending: [], approved: ["unban"], denied: ["unban_request_denied"], expired: [] }[
    doc?.status ?? "pending"
  ];
  const decisions = logged.map(({ action }) => action).filter((action) => action !== "ban");
  if (status !== "expired") expect(decisions, `log entries of unban request ${id}`).deep.equal(acts);
}

export const unbanRequestSubject: Subject = {
  machine: "unban-request",
  driver,
  timers: { pending: ["unban-request.pending"] },
  agrees: expectRequest,
  announces: ({ after }) => [after === "pending" ? "mod.unban_request" : "mod.unban_request_resolved"],
  ofChannel: (db, { streamId }) =>
    db.collection<UnbanRequestDoc>("unban_requests").distinct("_id", { streamId }),
  /** The user was told of the request and of its end, which are in the user's own events. */
  async expectEnd(db, id, { published: { privateEvents } }) {
    const doc = await db.collection<UnbanRequestDoc>("unban_requests").findOne({ _id: id });
    if (!doc) throw new Error(`unban request ${id} has no document`);
    const { status } = doc;
    const own = privateEvents.filter(({ type, data }) => type === "unban_request.updated" && data.id === id);
    const told = new Set(own.map(({ userId, data }) => `${userId} ${String(data.status)}`));
    const due = ["pending", status].map((one) => `${doc.userId} ${one}`);
    expect([...told], `what the user received of ${id}`).deep.equal([...new Set(due)]);
  },
  waiting: {
    "unban request": {
      event: "xstate.after.expiry.unban-request.pending",
      make: (world, dues) =>
        eachOf(dues, async (due) => {
          const stream = await world.stream();
          const by = await bannedIn(world, stream._id);
          setClock(world, due - UNBAN_REQUEST_EXPIRY_MS);
          await world.unbanRequests.request({ stream, message: "Please", by });
        }),
    },
  },
};
