import { hueOf } from "../formats/hue.ts";
import type { Schemas } from "../site/page-data.ts";

type Shown = Pick<Schemas["UserSummary"], "username" | "username_title" | "image_url">;

/** Beside a name, which says whose it is. */
export function Avatar({ user, isLarge = false }: { user: Shown; isLarge?: boolean }) {
  const shape = isLarge ? "avatar large" : "avatar";
  if (user.image_url !== null) return <img class={shape} src={user.image_url} alt="" loading="lazy" />;
  return (
    <span class={shape} aria-hidden="true" style={{ "--hue": hueOf(user.username) }}>
      {[...nameOf(user)][0]?.toUpperCase()}
    </span>
  );
}

/** As the user spells it. */
export const nameOf = (user: Pick<Schemas["UserSummary"], "username" | "username_title">): string =>
  user.username_title ?? user.username;
