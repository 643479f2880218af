import { newId } from "../../../base/ids.ts";
import type { ResourceRequests } from "../authorization/resource-requests.ts";
import { moderators, NONE, signedIn } from "./role-matrix/rows.ts";

const NOBODY = () => ({ params: { note_id: newId() } });
const TEXT = "Apologised.";

/** Requests about one user of a room, and about who is banned from it. */
export const memberRequests: ResourceRequests = {
  requests: ({ people: { at, target, owner } }) => ({
    values: {
      note_id: async () => {
        const params = { ...at, user_id: target.id };
        return (await owner.api.ok("createMemberNote", { params, body: { text: TEXT } })).id;
      },
    },
  }),

  // It is the owner's.
  expected: { deleteMemberNote: { moderator: "forbidden", staff: "forbidden" } },

  fields: { "listRestrictions query.username": "a filter of the room's own list: any name is taken" },

  rows: [
    moderators("listMemberMessages", { request: ({ somebody }) => ({ params: { user_id: somebody.id } }) }),
    moderators("listMemberNotes", { request: ({ somebody }) => ({ params: { user_id: somebody.id } }) }),
    moderators("createMemberNote", {
      request: ({ somebody }) => ({ params: { user_id: somebody.id }, body: { text: TEXT } }),
    }),
    moderators(
      "deleteMemberNote",
      { request: ({ somebody }) => ({ params: { user_id: somebody.id, ...NOBODY().params } }) },
      NONE,
    ),
    moderators("listRestrictions"),
    signedIn("listModeratedChannels"),
  ],
};
