import type { AccountParts } from "../../actors/accounts/accounts.ts";
import { ownUserView } from "../../actors/accounts/profile/views.ts";
import type { Operations } from "../http/bind.ts";
import { download, reply } from "../http/reply.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { type CookieConfig, clearedCookies } from "./cookies.ts";

export function accountRoutes(
  { bind }: Operations,
  {
    profile,
    pictures,
    seoTags,
    accountExport,
    cookies,
    clock,
  }: RouteDeps & Pick<AccountParts, "profile"> & { cookies: CookieConfig },
): void {
  bind("changePassword", ({ caller, body, origin }) =>
    profile.changePassword(
      caller,
      { current: body.current_password, next: body.new_password, endsTokens: body.end_tokens ?? false },
      origin,
    ),
  );

  bind("deleteMe", async ({ caller, body, origin }) => {
    await profile.deleteAccount(caller, body.password, origin);
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
