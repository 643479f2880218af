import type { Seo } from "../../actors/seo/seo.ts";
import type { Operations } from "../http/bind.ts";

export function seoRoutes({ bind }: Operations, { seo }: { seo: Seo }): void {
  bind("getUserSeo", async ({ params }) => (await seo.ofUser(params.username)).seo);

  bind("getStreamSeo", ({ params }) => seo.ofStream(params.stream_id));
}
