import { ShieldCheck } from "lucide";
import { nameOf } from "../components/avatar.tsx";
import { Icon } from "../components/icon.tsx";
import { type Schemas, to } from "../site/page-data.ts";
import { me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { deskPath } from "./desk-path.ts";

type Props = {
  user: Pick<Schemas["ChannelProfile"], "id" | "username" | "username_title">;
  role: Schemas["ChatRole"] | null | undefined;
};

/** To the moderator's desk, for those who may moderate the channel. */
export function ModerateLink({ user, role }: Props) {
  const { moderationDesk } = TEXTS;
  const mayModerate = me.value?.id === user.id || (role && role !== "vip");
  if (!mayModerate) return null;
  return (
    <a
      class="button quiet"
      href={to(deskPath(user.username))}
      aria-label={moderationDesk.openFor(nameOf(user))}
    >
      <Icon of={ShieldCheck} />
      {moderationDesk.link}
    </a>
  );
}
