import type { CallOptions } from "../../support/api.ts";
import type { CallerName } from "../authorization/expectations.ts";
import { once } from "../authorization/once.ts";
import { PASSWORD } from "../authorization/people.ts";
import type { OwnRequests, ResourceRequests } from "../authorization/resource-requests.ts";
import type { Toolbox } from "../authorization/toolbox.ts";

/** Requests about reports, appeals and staff's decisions. */
export const safetyRequests: ResourceRequests = {
  requests: withCases,

  // Staff have no strike or ban to appeal against.
  expected: { createAppeal: { staff: "not_found" } },

  shown: {
    createReport: "to its recipient alone",
    createAppeal: "to its recipient alone",
    createSupportRequest: "to its recipient alone",
  },

  fields: {
    "createReport body.target_id": {
      request: ({ userId }) => ({
        body: { target_type: "user", target_id: userId, reason_code: "spam" },
      }),
      // There is nothing left to report.
      but: { deleted: "as for an unknown id" },
    },
    "createAppeal body.subject_id": "the caller's own ban or strike",
    "createSupportRequest body.subject": "a text",
  },
};

function withCases({ world, people }: Toolbox): OwnRequests {
  const { user, otherUser, target, staff } = people;
  const spare = once(async () => (await people.newPerson()).id);
  const message = "I was quoting somebody else.";

  const reportId = once(async () => {
    await user.api.ok("createReport", {
      body: { target_type: "user", target_id: target.id, reason_code: "spam" },
    });
    const { items } = await staff.api.ok("listReports", { query: { per_page: 100 } });
    return items.find(({ target_id }) => target_id === target.id)?.id ?? "";
  });

  const strikeOf = async (account_id: string) =>
    (await staff.api.ok("giveStrike", { params: { account_id }, body: { reason: "Insults" } })).id;

  const appealId = once(async () => {
    const body = { subject_type: "strike", subject_id: await strikeOf(otherUser.id), message };
    return (await otherUser.api.ok("createAppeal", { body })).id;
  });

  async function newSupportRequest(): Promise<string> {
    const body = { kind: "support", email: "a@example.com", subject: "Help", message: "How?" };
    return (await world.api.ok("createSupportRequest", { body })).id;
  }

  /** An appeal by the token of a refused login. */
  async function appealOfSomebodyBanned(): Promise<CallOptions> {
    const { id, username } = await people.newPerson();
    await staff.api.ok("banAccount", { params: { account_id: id }, body: { reason: "Insults" } });
    const login = { login: username, password: PASSWORD };
    const { details } = await world.api.with({ "x-auth-mode": "bearer" }).call("login", { body: login });
    const { appeal_token, subject_type, subject_id } = details;
    return { body: { appeal_token, subject_type, subject_id, message } };
  }

  async function appealOf(caller: CallerName): Promise<CallOptions> {
    if (caller === "anonymous" || caller === "systemKey" || caller === "banned")
      return appealOfSomebodyBanned();
    const subject_id = caller === "staff" ? staff.id : await strikeOf(people[caller].id);
    return { body: { subject_type: "strike", subject_id, message } };
  }

  const values: OwnRequests["values"] = {
    report_id: reportId,
    appeal_id: appealId,
    support_id: once(newSupportRequest),
    account_id: spare,
    strike_id: async () => strikeOf(await spare()),
  };

  const prepared: OwnRequests["prepared"] = {
    // About another user than in the case that staff handle, which they mustn't have reported themselves.
    createReport: async () => ({
      body: { target_type: "user", target_id: await spare(), reason_code: "spam" },
    }),
    // A request can be answered once.
    handleSupportRequest: async () => ({
      params: { support_id: await newSupportRequest() },
      body: { status: "answered" },
    }),
  };
  return { values, prepared, ofCaller: { createAppeal: appealOf } };
}
