import type { ResourceRequests } from "../authorization/resource-requests.ts";

export const invitationRequests: ResourceRequests = {
  requests: ({ people }) => ({
    values: {
      invitation_id: async () => (await people.staff.api.ok("createInvitation", { body: {} })).id,
    },
  }),

  shown: { register: "nowhere" },
};
