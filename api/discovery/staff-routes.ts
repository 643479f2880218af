import { userSummary } from "../../actors/accounts/profile/views.ts";
import type { SignedIn } from "../../actors/accounts/tokens/caller.ts";
import { categoryView } from "../../actors/discovery/category-catalogue.ts";
import type { CategoryChange } from "../../actors/discovery/category-changes.ts";
import type { Actor, Origin } from "../../base/audit.ts";
import type { CategoryUpdate } from "../../contract/wire.ts";
import type { Operations } from "../http/bind.ts";
import { sliceOf } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

const staffOf = ({ caller, origin }: { caller: SignedIn; origin: Origin }): Actor & { userId: string } => ({
  userId: caller.userId,
  origin,
});

export function discoveryStaffRoutes(
  { bind, bindPage }: Operations,
  { categoryChanges, featured }: RouteDeps,
): void {
  bind("createCategory", async (request) => {
    const { name, ...rest } = request.body;
    const change = { ...changeOf(rest), name };
    return categoryView(await categoryChanges.add(staffOf(request), change, request.idempotencyKey));
  });
  bind("updateCategory", async (request) =>
    categoryView(
      await categoryChanges.change(staffOf(request), request.params.category_id, changeOf(request.body)),
    ),
  );
  bind("deleteCategory", (request) => categoryChanges.remove(staffOf(request), request.params.category_id));
  bind("setCategoryCover", async (request) =>
    categoryView(
      await categoryChanges.setCover(staffOf(request), request.params.category_id, request.rawBody),
    ),
  );
  bind("deleteCategoryCover", async (request) =>
    categoryView(await categoryChanges.removeCover(staffOf(request), request.params.category_id)),
  );

  bindPage("listFeatured", async (_request, range) =>
    sliceOf((await featured.users()).map(userSummary), range),
  );
  bind("setFeatured", (request) => featured.set(staffOf(request), request.body.user_ids));
}

function changeOf({ name, slug, parent_id, tags }: CategoryUpdate): CategoryChange {
  return {
    ...(name === undefined ? {} : { name }),
    ...(slug === undefined ? {} : { slug }),
    ...(parent_id === undefined ? {} : { parentId: parent_id }),
    ...(tags === undefined ? {} : { tags }),
  };
}
