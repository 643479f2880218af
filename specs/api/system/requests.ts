import type { ResourceRequests } from "../authorization/resource-requests.ts";

export const systemRequests: ResourceRequests = {
  requests: () => ({
    prepared: { getMinVersion: () => ({ query: { platform: "ios" } }) },
  }),
};
