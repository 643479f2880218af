import { newId } from "../../../base/ids.ts";
import type { CallOptions, OperationId } from "../../support/api.ts";
import { image } from "../../support/images.ts";
import type { World } from "../../support/world.ts";
import type { People } from "./people.ts";

/** Requests about categories; each that is prepared and changes a category gets a new one. */
export function discoveryRequests({ core }: World, { staff, target }: People) {
  const by = { userId: staff.id, origin: { ip: "127.0.0.1", userAgent: null, requestId: "made before" } };
  const name = () => `Category ${newId()}`;
  const made = async () => ({ category_id: (await core.categoryChanges.add(by, { name: name() }))._id });

  const prepared: Partial<Record<OperationId, () => Promise<CallOptions> | CallOptions>> = {
    createCategory: () => ({ body: { name: name() } }),
    updateCategory: async () => ({ params: await made(), body: { tags: ["new"] } }),
    deleteCategory: async () => ({ params: await made() }),
    setCategoryCover: async () => ({ params: await made(), ...(await image()) }),
    deleteCategoryCover: async () => ({ params: await made() }),
    setFeatured: () => ({ body: { user_ids: [target.id] } }),
    search: () => ({ query: { q: "just" } }),
  };
  return { prepared, values: { category_id: () => "just-chatting" } };
}
