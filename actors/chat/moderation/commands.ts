import { type RateLimit, ServiceError } from "../../../contract/errors.ts";
import { type Grant, missingScopes } from "../../../contract/scopes.ts";
import { isCommand } from "../../../realtime/rooms/text.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import type { ChannelAccess } from "../../channels/public.ts";
import { type ChannelRoles, isModerating } from "../../channels/public.ts";
import { type ChatCommand, parseChatCommand, scopesOfCommand } from "./chat-command.ts";
import type { MessageActions } from "./messages.ts";
import type { ModeratorRequest } from "./moderation-log.ts";
import type { RoleAndBanActions } from "./roles-and-bans.ts";
import type { SettingsActions } from "./settings.ts";

/**
 * The rate limit of one user over all workers and rooms. The REST operations behind the commands have rate limits of their own,
 * which commands sent over sockets would bypass.
 */
export const COMMANDS: RateLimit = { bucket: "chat_commands", limit: 300, windowSeconds: 60 };

/** `path`: a JSON pointer to the text in its request, for refusals. */
type CommandText = { text: string; path: string };

type CommandDeps = {
  /** Takes one of COMMANDS. Throws rate_limited. */
  takeCommand(userId: string): Promise<unknown>;
  rolesAndBans: RoleAndBanActions;
  messages: MessageActions;
  settings: SettingsActions;
  channelRoles: ChannelRoles;
  requireStream(streamId: string): Promise<StreamDoc>;
  /** Throws `not_found` for the channel of a banned or deleted account, except to staff. */
  requireVisible: ChannelAccess["requireVisible"];
  /** Throws `not_found`. */
  requireByUsername(username: string): Promise<{ _id: string }>;
};

/** Slash commands. Each runs the moderation action that it names, under the same rules. */
export function createCommands(deps: CommandDeps) {
  const {
    takeCommand,
    rolesAndBans,
    messages,
    settings,
    channelRoles,
    requireStream,
    requireVisible,
    requireByUsername,
  } = deps;

  async function execute(command: ChatCommand, moderating: ModeratorRequest): Promise<unknown> {
    switch (command.kind) {
      case "clear":
        return messages.clear(moderating);
      case "delete":
        return messages.deleteMessage({ ...moderating, uuid: command.uuid });
      case "settings":
        return settings.update(moderating, command.change);
    }
    const withTarget = async () => {
      const { _id: targetId } = await requireByUsername(command.username);
      return { ...moderating, targetId };
    };
    switch (command.kind) {
      case "ban":
        return rolesAndBans.ban(await withTarget(), command.reason);
      case "unban":
        return rolesAndBans.unban(await withTarget());
      case "timeout":
        return rolesAndBans.timeout(await withTarget(), command.seconds, command.reason);
      case "untimeout":
        return rolesAndBans.untimeout(await withTarget());
    }
    const isOwner = (await requireStream(moderating.streamId)).userId === moderating.by;
    // Checked before the target is looked up, as in the REST operations.
    if (!isOwner) throw new ServiceError("forbidden");
    switch (command.kind) {
      case "mod":
        return rolesAndBans.addRole(await withTarget(), "moderator");
      case "unmod":
        return rolesAndBans.removeRole(await withTarget(), "moderator");
      case "vip":
        return rolesAndBans.addRole(await withTarget(), "vip");
      case "unvip":
        return rolesAndBans.removeRole(await withTarget(), "vip");
    }
  }

  async function isModerator({ streamId, by }: ModeratorRequest, grant: Grant | null): Promise<boolean> {
    const caller = { userId: by, grant };
    const stream = await requireStream(streamId);
    await requireVisible(stream.userId, caller);
    return isModerating(await channelRoles.roleOfCaller(stream, caller));
  }

  return {
    /**
     * Runs the command in `text`, from REST or a socket; `grant` is what the caller's personal token allows. Throws
     * `rate_limited`, `forbidden` for a caller who isn't a moderator, `validation_failed` with the expected form, and what the
     * action itself throws.
     */
    async command(
      moderating: ModeratorRequest,
      { text, path }: CommandText,
      grant: Grant | null,
    ): Promise<void> {
      await takeCommand(moderating.by);
      if (!(await isModerator(moderating, grant))) throw new ServiceError("forbidden");
      const command = parseChatCommand(text, path);
      const missing = grant && missingScopes(scopesOfCommand(text) ?? [], grant, moderating.streamId);
      if (missing) throw new ServiceError("insufficient_scope", missing);
      await execute(command, moderating);
    },

    /**
     * Runs what was sent as a message and begins with a slash, once for each nonce, if `grant` has the scopes of that command
     * and its user moderates the room; returns false otherwise, and for texts and commands that are none. The room refuses
     * every command that it is handed, so a false one is refused there, with one answer for all. COMMANDS counts all of them,
     * so that it doesn't tell either which commands there are.
     */
    async ranAsCommand(
      moderating: ModeratorRequest,
      { text, path }: CommandText,
      grant: Grant | null,
    ): Promise<boolean> {
      if (!isCommand(text)) return false;
      await takeCommand(moderating.by);
      const scopes = scopesOfCommand(text);
      if (scopes === null || (grant && missingScopes(scopes, grant, moderating.streamId))) return false;
      if (!(await isModerator(moderating, grant))) return false;
      await execute(parseChatCommand(text, path), moderating);
      return true;
    },
  };
}
