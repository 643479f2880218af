import { ServiceError } from "../../specs/contract/errors.ts";
import { missingScopes } from "../../specs/contract/scopes.ts";
import type { StreamDoc } from "../../store/mongo/streams.ts";
import { type ChannelRoles, isModerating } from "../channels/channel-roles.ts";
import type { Grant } from "../identity/caller.ts";
import { type ChatCommand, parseChatCommand } from "./chat-command.ts";
import type { MessageActions } from "./messages.ts";
import type { Moderating } from "./moderation-log.ts";
import type { PeopleActions } from "./people.ts";
import type { SettingsActions } from "./settings.ts";

/** Of one user, over all workers and rooms: as the operations have that commands stand for, which sockets would go past. */
export const COMMANDS = { name: "chat_commands", points: 300, seconds: 60 } as const;

export type CommandDeps = {
  /** Counts one of COMMANDS. Throws rate_limited. */
  takeCommand(userId: string): Promise<unknown>;
  people: PeopleActions;
  messages: MessageActions;
  settings: SettingsActions;
  channelRoles: ChannelRoles;
  requireStream(streamId: string): Promise<StreamDoc>;
  /** Throws `not_found`. */
  requireByUsername(username: string): Promise<{ _id: string }>;
};

/** As the operations that give and take roles. */
const ROLE_SCOPES = ["channel:manage"] as const;

/** Slash commands: each is the act of moderation that it stands for, with that one's rules. */
export function createCommands(deps: CommandDeps) {
  const { takeCommand, people, messages, settings, channelRoles, requireStream, requireByUsername } = deps;

  async function act(command: ChatCommand, moderating: Moderating, grant: Grant | null): Promise<unknown> {
    switch (command.kind) {
      case "clear":
        return messages.clear(moderating);
      case "delete":
        return messages.deleteMessage({ ...moderating, uuid: command.uuid });
      case "settings":
        return settings.update(moderating, command.change);
    }
    const on = async () => {
      const { _id: targetId } = await requireByUsername(command.username);
      return { ...moderating, targetId };
    };
    switch (command.kind) {
      case "ban":
        return people.ban(await on(), command.reason);
      case "unban":
        return people.unban(await on());
      case "timeout":
        return people.timeout(await on(), command.seconds, command.reason);
      case "untimeout":
        return people.untimeout(await on());
    }
    const missing = grant && missingScopes(ROLE_SCOPES, grant.scopes);
    if (missing) throw new ServiceError("insufficient_scope", missing);
    const isOwner = (await requireStream(moderating.streamId)).userId === moderating.by;
    // Before anybody is looked up, as the operations do.
    if (!isOwner) throw new ServiceError("forbidden");
    switch (command.kind) {
      case "mod":
        return people.addRole(await on(), "moderator");
      case "unmod":
        return people.removeRole(await on(), "moderator");
      case "vip":
        return people.addRole(await on(), "vip");
      case "unvip":
        return people.removeRole(await on(), "vip");
    }
  }

  return {
    /**
     * Does what `text` says, as REST and sockets take it; `grant` is what the caller's personal token allows. Throws
     * `rate_limited`, `forbidden` to those who don't moderate, `validation_failed` saying what is expected, and what the act itself throws.
     */
    async command(moderating: Moderating, text: string, grant: Grant | null): Promise<void> {
      await takeCommand(moderating.by);
      const stream = await requireStream(moderating.streamId);
      if (!isModerating(await channelRoles.roleOf(stream, moderating.by)))
        throw new ServiceError("forbidden");
      await act(parseChatCommand(text), moderating, grant);
    },
  };
}
