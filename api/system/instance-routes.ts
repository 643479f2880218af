import type { AccountParts } from "../../actors/accounts/accounts.ts";
import type { ClipFeature } from "../../actors/live/clips/clips.ts";
import { nullIfUnavailable } from "../../base/failures/unavailable.ts";
import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import type { Instance } from "./instance/instance.ts";

type Deps = Pick<AccountParts, "staff"> & {
  clips: Pick<ClipFeature, "areMade">;
  instance: Instance;
  publicUrl: string;
  billing: Pick<RouteDeps["billing"], "platform">;
};

export function instanceRoutes(
  { bind }: Operations,
  { staff, clips, instance, publicUrl, billing }: Deps,
): void {
  const { name, logo, accents, pages, signUp } = instance;
  const settled = {
    name,
    logo_url: logo && `${publicUrl}/${logo.path}`,
    accent: accents,
    pages: [...pages.keys()],
    sign_up: signUp,
    makes_clips: clips.areMade,
    takes_payments: billing.platform !== null,
  };
  // The rest is there without the database.
  const hasStaff = async () => (await nullIfUnavailable(() => staff.hasStaff())) ?? true;
  bind("getInstance", async () => ({ ...settled, has_staff: await hasStaff() }));
}
