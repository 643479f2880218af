import { expect } from "chai";
import { type DocumentedOperation, operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { ALL_SCOPES } from "../../../contract/scopes.ts";
import { type UserDoc, usersCollection } from "../../../store/mongo/accounts/users.ts";
import { blocksCollection } from "../../../store/mongo/channels/blocks.ts";
import { clipsCollection } from "../../../store/mongo/live/clips.ts";
import { videosCollection } from "../../../store/mongo/live/videos.ts";
import type { Api, CallOptions, OperationId } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import type { Person } from "../../support/given-channels.ts";
import { type IdentityProvider, startIdentityProvider } from "../../support/identity-provider.ts";
import { openWorld, type World } from "../../support/world.ts";
import { VISIBILITY } from "../authorization/all-requests.ts";
import { givenPeople, type People } from "../authorization/people.ts";
import { requestsIn } from "../authorization/requester.ts";
import { CONDITIONS, type Condition } from "./conditions.ts";
import { expectedOf } from "./expectations.ts";
import { NAMING } from "./naming-fields.ts";

/** Admission knows of these by the room's state: `chat/closed-rooms.spec.ts` and `social/blocks-and-roles.spec.ts`. */
const ELSEWHERE: readonly string[] = ["sendChatMessage", "sendBotMessage"];

/**
 * They give a role or badge, which a block between the owner and who is to get it prevents. A block ends the role of a moderator, whose
 * announcement only the room itself may still refuse for it.
 */
const BLOCKED_OTHERS: readonly string[] = [
  ...["addModerator", "addVip", "grantChannelBadge", "runChatCommand"],
  "announceInChat",
];

const all = operationsOf(readOpenApi()).filter(({ operation }) => operation["x-visibility"]);
const operations = all.filter(({ operation }) => !ELSEWHERE.includes(operation.operationId));

describe("visibility: operations on what belongs to a banned, deleted, blocking or private owner", function () {
  this.timeout(60_000);
  let world: World;
  let people: People;
  let provider: IdentityProvider;
  let requests: ReturnType<typeof requestsIn>;
  let bot: Api;

  before(async () => {
    provider = await startIdentityProvider("one");
    const oauth = { providers: [provider.appSetting()], returnUrls: ["https://app.example/"] } as const;
    world = await openWorld({ clock: movableClock(), oauth });
    people = await givenPeople(world);
    requests = requestsIn(world, people, provider);
    const origin = { ip: "203.0.113.7", userAgent: null, requestId: "spec" };
    const [session] = await world.core.sessions.list(people.user.id);
    if (!session) throw new Error("a registered user has a session");
    const by = { userId: people.user.id, sessionId: session._id };
    const { token } = await world.core.apiTokens.create({ name: "spec", scopes: ALL_SCOPES }, by, origin);
    bot = world.api.as({ token });
  });

  after(async () => {
    await world?.close();
    await provider?.close();
  });

  /** Whose moderators may, is tried by a moderator: others are refused anyway. */
  function callerOf({ operation }: DocumentedOperation): "moderator" | "staff" | "user" {
    const { who, channel } = operation["x-access"];
    if (who === "staff") return "staff";
    return channel === "moderator" ? "moderator" : "user";
  }

  const apiOf = async (called: DocumentedOperation): Promise<Api> => {
    const { who, token_only } = called.operation["x-access"];
    if (who === "anonymous") return world.api;
    if (token_only) return bot;
    return world.api.with(await people.credentials(callerOf(called), "first"));
  };

  async function requestOf(called: DocumentedOperation): Promise<CallOptions> {
    const { owner } = people;
    switch (called.operation.operationId as OperationId) {
      case "listBotMessages":
        return { query: { channel: owner.username } };
      case "listRedemptions":
        return { query: { channel_user_id: owner.id } };
      case "changeSubscriptionTier":
        // A lower tier can be had whatever stands between the two.
        return { ...(await requests.of(called, callerOf(called))), body: { tier: 3 } };
      default:
        return requests.of(called, callerOf(called));
    }
  }

  /** The accounts that the requests name. */
  const named = () => [people.owner, people.target];

  async function setStatus(status: UserDoc["status"], of: readonly Person[] = named()): Promise<void> {
    const _id = { $in: of.map(({ id }) => id) };
    await usersCollection.in(world.core.mongo.db).updateMany({ _id }, { $set: { status } });
  }

  /** Written as they are, since a block by its operation would take the moderator's role away. */
  async function block(): Promise<void> {
    const { user, moderator } = people;
    const blocks = named().flatMap(({ id: blockerId }) =>
      [user, moderator].map(({ id: blockedId }) => {
        const _id = `${blockerId}:${blockedId}`;
        return { _id, blockerId, blockedId, createdAt: new Date(world.clock.now()) };
      }),
    );
    await blocksCollection.in(world.core.mongo.db).insertMany(blocks);
  }

  async function setVisibility(visibility: "private" | "public"): Promise<void> {
    const { db } = world.core.mongo;
    await clipsCollection.in(db).updateMany({}, { $set: { visibility } });
    await videosCollection.in(db).updateMany({}, { $set: { visibility } });
  }

  const ARRANGED: Record<Condition, { begin(): Promise<unknown>; end(): Promise<unknown> }> = {
    banned: { begin: () => setStatus("banned"), end: () => setStatus("active") },
    deleted: { begin: () => setStatus("deleted"), end: () => setStatus("active") },
    blocked: {
      begin: block,
      end: () => blocksCollection.in(world.core.mongo.db).deleteMany({}),
    },
    private: { begin: () => setVisibility("private"), end: () => setVisibility("public") },
  };

  const TITLES: Record<Condition, string> = {
    banned: "answers a viewer while the owner is banned",
    deleted: "answers a viewer while the owner is deleted",
    blocked: "answers a viewer blocked by the owner",
    private: "answers another user while it is private",
  };

  const isThere = (code: string | null): boolean => code !== "not_found" && code !== "blocked";

  async function outcomeOf(api: Api, operationId: OperationId, request: CallOptions): Promise<string> {
    const { code } = await api.call(operationId, request);
    return isThere(code) && code !== "forbidden" && code !== "raid_not_accepted" ? "there" : String(code);
  }

  for (const called of operations) {
    const operationId = called.operation.operationId as OperationId;
    describe(operationId, () => {
      let request: CallOptions;
      before(async () => {
        request = await requestOf(called);
      });

      for (const condition of CONDITIONS) {
        const wanted = expectedOf(called.operation, condition);
        if (wanted === null) continue;
        it(`${TITLES[condition]}: ${wanted}`, async () => {
          // An act that goes on uses up what it names.
          if (wanted === "there") request = await requestOf(called);
          // Others than their author and owner.
          const api = condition === "private" ? people.otherUser.api : await apiOf(called);
          const { begin, end } = ARRANGED[condition];
          await begin();
          const outcome = await outcomeOf(api, operationId, request).finally(end);
          if (wanted === "there") {
            requests.succeeded(called);
            expect(outcome).not.oneOf(["not_found", "blocked"]);
            request = await requestOf(called);
          } else expect(outcome).equal(wanted);
        });
      }

      const { "x-visibility": rule, "x-access": access } = called.operation;
      const isRead = access.who === "optional" && called.method === "get" && rule?.inactive === "refused";
      if (isRead) {
        it("answers staff while the owner is banned", async () => {
          const api = world.api.with(await people.credentials("staff", "first"));
          const isOfTarget = JSON.stringify(request).includes(people.target.id);
          const owner = isOfTarget ? people.target : people.owner;
          await setStatus("banned", [owner]);
          const { code } = await api.call(operationId, request).finally(() => setStatus("active"));
          expect(code).equal(null);
        });
      }

      it("answers a viewer without any restriction", async () => {
        const { code } = await (await apiOf(called)).call(operationId, request);
        requests.succeeded(called);
        expect(isThere(code), String(code)).equal(true);
      });
    });
  }

  it("has a rule for every path that names a channel, a user or their things", () => {
    const undeclared = operationsOf(readOpenApi()).filter(({ path, operation }) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
      return names.some((name) => NAMING.test(name)) && operation["x-visibility"] === undefined;
    });
    // Staff are shown every account.
    const left = undeclared.filter(({ operation }) => operation["x-access"].who !== "staff");
    expect(left.map(({ operation }) => operation.operationId)).deep.equal([]);
  });

  it("has blocked among the errors where a block is answered so, or one with another user", () => {
    const declared = all.filter(({ operation }) => operation["x-errors"].includes("blocked"));
    const answered = all.filter(({ operation }) => expectedOf(operation, "blocked") === "blocked");
    const ids = [...answered.map(({ operation }) => operation.operationId), ...BLOCKED_OTHERS];
    expect(declared.map(({ operation }) => operation.operationId)).have.members(ids);
  });

  it("has exceptions for existing operations only", () => {
    const ids = all.map(({ operation }) => operation.operationId);
    expect(ids).include.members([...Object.keys(VISIBILITY), ...ELSEWHERE]);
  });
});
