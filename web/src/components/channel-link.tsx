import { type Schemas, to } from "../site/page-data.ts";
import { nameOf } from "./avatar.tsx";

type Props = {
  /** Absent where it was deleted. */
  channel: Pick<Schemas["UserSummary"], "username" | "username_title"> | null | undefined;
  /** Instead of a deleted one. */
  gone: string;
};

/** A channel's name, which leads there. */
export function ChannelLink({ channel, gone }: Props) {
  if (!channel) return gone;
  return (
    <a href={to(channel.username)}>
      <bdi>{nameOf(channel)}</bdi>
    </a>
  );
}
