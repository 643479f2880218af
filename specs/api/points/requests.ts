import type { ResourceRequests } from "../authorization/resource-requests.ts";

export const pointsRequests: ResourceRequests = {
  requests: ({ people, watch }) => ({
    ofCaller: {
      claimPoints: async (caller) => {
        if (caller !== "anonymous" && caller !== "systemKey") await watch(people[caller].id);
        return { params: { user_id: people.owner.id } };
      },
    },
  }),
};
