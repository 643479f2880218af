import type { ResourceRequests } from "../authorization/resource-requests.ts";
import { moderators, NONE } from "./role-matrix/rows.ts";

const NO_TERM = { term_id: "999999999" };

/** Requests about blocked terms. */
export const termRequests: ResourceRequests = {
  requests({ people: { at, owner } }) {
    let terms = 0;
    return {
      values: {
        term_id: async () => {
          const body = { term: `term ${++terms}` };
          return String((await owner.api.ok("addBlockedTerm", { params: at, body })).id);
        },
      },
    };
  },

  rows: [
    moderators("listBlockedTerms"),
    moderators("addBlockedTerm", { request: () => ({ body: { term: "abracadabra" } }) }),
    moderators("testBlockedTerms", { request: () => ({ body: { texts: ["abracadabra"] } }) }),
    moderators("updateBlockedTerm", { request: () => ({ params: NO_TERM, body: { action: "hold" } }) }, NONE),
    moderators("deleteBlockedTerm", { request: () => ({ params: NO_TERM }) }, NONE),
  ],
};
