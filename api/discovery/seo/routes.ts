import type { Operations } from "../../http/bind.ts";
import type { RouteDeps } from "../../http/route-deps.ts";

export function seoRoutes({ bind }: Operations, { seo }: RouteDeps): void {
  bind("getUserSeo", async ({ params }) => (await seo.ofUser(params.username)).seo);

  bind("getStreamSeo", ({ stream }) => seo.ofStream(stream));
}
