import { expect } from "chai";
import { ALL_SCOPES } from "../../../contract/scopes.ts";
import { type UserDoc, usersCollection } from "../../../store/mongo/accounts/users.ts";
import type { Answer, Api, OperationId } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { FIELDS } from "../authorization/all-requests.ts";
import { FILES } from "../authorization/requester.ts";
import type { Outcome, Standing } from "../authorization/resource-requests.ts";
import { namedOf, unknown } from "./named-channel.ts";
import { type NamingField, namingFields } from "./naming-fields.ts";

/** Null where none is needed, or none is there. */
function fieldOf(name: string) {
  const field = FIELDS[name];
  return typeof field === "object" ? field : null;
}

describe("visibility: accounts and channels that a query or body names", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  const ruled = namingFields.filter(({ field }) => typeof FIELDS[field] !== "string");
  let other: Channel;

  before(async () => {
    other = await given.liveChannel();
  });

  function expectedOf({ field, called }: NamingField, standing: Standing): Outcome {
    const own = fieldOf(field)?.but?.[standing];
    if (own) return own;
    const rule = called.operation["x-visibility"];
    if (standing === "blocked") return rule?.blocked === "refused" ? "blocked" : "as for an active account";
    return rule?.inactive === "refused" ? "as for an unknown id" : "as for an active account";
  }

  async function apiOf({ called }: NamingField, caller: Person): Promise<Api> {
    if (!called.operation["x-access"].token_only) return caller.api;
    const [session] = await world.core.sessions.list(caller.id);
    if (!session) throw new Error("a registered user has a session");
    const by = { userId: caller.id, sessionId: session._id };
    const origin = { ip: "203.0.113.7", userAgent: null, requestId: "spec" };
    const { token } = await world.core.apiTokens.create({ name: "spec", scopes: ALL_SCOPES }, by, origin);
    return world.api.as({ token });
  }

  async function set(standing: Standing, subject: Channel, caller: Person): Promise<unknown> {
    if (standing === "blocked") return subject.owner.api.ok("blockUser", { params: { user_id: caller.id } });
    const status: UserDoc["status"] = standing;
    const users = usersCollection.in(world.core.mongo.db);
    return users.updateOne({ _id: subject.owner.id }, { $set: { status } });
  }

  /** What a caller learns from an answer: of several things at once, from what is said of the first. */
  function seenIn({ status, code, details, body }: Answer): unknown {
    const [first]: unknown[] = Array.isArray(Object(body).items) ? Object(body).items : [];
    const { code: refusal = code, details: more = details } = Object(Object(first).error);
    return { status, code: refusal, details: more };
  }

  /** By a caller of its own, since requests are limited by caller and some can be made only once. */
  async function answerTo(named: NamingField, standing: Standing | "active" | "unknown"): Promise<unknown> {
    const operationId = named.called.operation.operationId as OperationId;
    const field = fieldOf(named.field);
    if (!field) throw new Error(`${named.field} needs a request: ${FILES}`);
    const channel = field.isLive ? given.liveChannel : given.channel;
    const { owner: caller } = await channel();
    const subject = standing === "unknown" ? null : await channel();
    const options = await field.request(subject ? namedOf(subject) : unknown(), other, { world, given });
    if (subject && standing !== "active" && standing !== "unknown") await set(standing, subject, caller);
    return seenIn(await (await apiOf(named, caller)).call(operationId, options));
  }

  for (const named of ruled) {
    describe(named.field, () => {
      let missing: unknown;
      let active: unknown;
      before(async () => {
        missing = await answerTo(named, "unknown");
        active = await answerTo(named, "active");
      });

      it("tells an active account from an unknown id", () => {
        expect(missing).deep.include({ code: "not_found" });
        expect(active).not.deep.equal(missing);
        expect(active).not.deep.include({ code: "blocked" });
      });

      for (const standing of ["banned", "deleted", "blocked"] as const) {
        const wanted = expectedOf(named, standing);
        const who = standing === "blocked" ? "a caller whom the account blocks" : `a ${standing} account`;
        it(`answers for ${who}: ${wanted}`, async () => {
          const seen = await answerTo(named, standing);
          if (wanted === "as for an unknown id") expect(seen).deep.equal(missing);
          else if (wanted === "as for an active account") expect(seen).deep.equal(active);
          else expect(seen).deep.include({ code: wanted });
        });
      }
    });
  }

  it("finds fields and parameters that name an account by their names and formats", () => {
    const found = namingFields.map(({ field }) => field);
    expect(found).include.members(["createRaid body.target_user_id", "listBotMessages query.channel"]);
  });

  it("requires a rule, or an exception with its reason, of each such field", () => {
    const undeclared = ruled.filter(({ called }) => called.operation["x-visibility"] === undefined);
    expect(undeclared.map(({ field }) => field)).deep.equal([]);
  });

  it("has exceptions and requests for existing fields only", () => {
    const found = namingFields.map(({ field }) => field);
    expect(found).have.members(Object.keys(FIELDS));
  });
});
