import { newId } from "../../../base/ids.ts";
import type { Channel } from "../../support/given-channels.ts";
import type { NamedChannel } from "../authorization/resource-requests.ts";

export const namedOf = (channel: Channel): NamedChannel => ({
  channel,
  userId: channel.owner.id,
  username: channel.owner.username,
  streamId: channel.stream.id,
});

/** Ids and a name that never were. */
export const unknown = (): NamedChannel => ({
  channel: null,
  userId: newId(),
  username: `u_${newId().replaceAll("-", "").slice(0, 16)}`,
  streamId: newId(),
});
