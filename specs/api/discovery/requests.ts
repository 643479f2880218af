import { newId } from "../../../base/ids.ts";
import { image } from "../../support/images.ts";
import type { ResourceRequests } from "../authorization/resource-requests.ts";

/** Each request that is prepared and changes a category gets a new one. */
export const discoveryRequests: ResourceRequests = {
  requests({ world: { core }, people: { staff, target } }) {
    const by = { userId: staff.id, origin: { ip: "127.0.0.1", userAgent: null, requestId: "made before" } };
    const name = () => `Category ${newId()}`;
    const made = async () => ({ category_id: (await core.categoryChanges.add(by, { name: name() }))._id });

    return {
      values: { category_id: () => "just-chatting" },
      prepared: {
        createCategory: () => ({ body: { name: name() } }),
        updateCategory: async () => ({ params: await made(), body: { tags: ["new"] } }),
        deleteCategory: async () => ({ params: await made() }),
        setCategoryCover: async () => ({ params: await made(), ...(await image()) }),
        deleteCategoryCover: async () => ({ params: await made() }),
        setFeatured: () => ({ body: { user_ids: [target.id] } }),
        search: () => ({ query: { q: "just" } }),
        listSearchSuggestions: () => ({ query: { q: "just" } }),
      },
    };
  },
};
