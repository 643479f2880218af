import type { AccountExport } from "../../actors/account/export.ts";
import type { Pictures } from "../../actors/account/pictures.ts";
import type { SeoTags } from "../../actors/account/seo-tags.ts";
import type { Identity } from "../../actors/identity/identity.ts";
import { ownUserView } from "../../actors/identity/views.ts";
import type { Clock } from "../../store/clock.ts";
import { type CookieConfig, clearedCookies } from "../auth/cookies.ts";
import type { Operations } from "../http/bind.ts";
import { download, reply } from "../http/reply.ts";

type Deps = {
  identity: Identity;
  pictures: Pictures;
  seoTags: SeoTags;
  accountExport: AccountExport;
  cookies: CookieConfig;
  clock: Clock;
};

export function accountRoutes(
  { bind }: Operations,
  { identity, pictures, seoTags, accountExport, cookies, clock }: Deps,
): void {
  bind("changePassword", ({ caller, body, origin }) =>
    identity.changePassword(caller, { current: body.current_password, next: body.new_password }, origin),
  );

  bind("deleteMe", async ({ caller, body, origin }) => {
    await identity.deleteAccount(caller, body.password, origin);
    return reply({ cookies: caller.via === "cookie" ? clearedCookies(cookies) : [] });
  });

  bind("setSeoTags", ({ caller, body }) => seoTags.set(caller.userId, body));

  bind("setAvatar", async ({ caller, rawBody }) =>
    ownUserView(await pictures.set(caller.userId, "avatar", rawBody)),
  );
  bind("setBanner", async ({ caller, rawBody }) =>
    ownUserView(await pictures.set(caller.userId, "banner", rawBody)),
  );

  bind("exportMe", ({ caller, origin }) => {
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    return download(accountExport.of(caller, origin), {
      "Content-Disposition": `attachment; filename="livecore-${day}.json"`,
    });
  });
}
