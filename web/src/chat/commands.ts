import type { components } from "@livecore/client";

type Role = components["schemas"]["ChatRole"] | null;
type Command = {
  name: string;
  /** What may follow it, as its user types it. */
  operands: string;
  /** Whether a user's name comes first. */
  takesUser?: true;
  who: "everybody" | "moderators" | "owner";
};

const USER = { takesUser: true, who: "moderators" } as const;
const OF_OWNER = { takesUser: true, who: "owner" } as const;
const MODE = { operands: "", who: "moderators" } as const;

/** As the service has them (docs/chat.md, "Roles and commands"); `/delete` needs an id, for which lines have a button. */
const COMMANDS: readonly Command[] = [
  { name: "me", operands: "[text]", who: "everybody" },
  { name: "timeout", operands: "[user] [10m] [reason]", ...USER },
  { name: "untimeout", operands: "[user]", ...USER },
  { name: "ban", operands: "[user] [reason]", ...USER },
  { name: "unban", operands: "[user]", ...USER },
  { name: "clear", ...MODE },
  { name: "slow", operands: "[30s]", who: "moderators" },
  { name: "slowoff", ...MODE },
  { name: "followers", operands: "[10m]", who: "moderators" },
  { name: "followersoff", ...MODE },
  { name: "emoteonly", ...MODE },
  { name: "emoteonlyoff", ...MODE },
  { name: "uniquechat", ...MODE },
  { name: "uniquechatoff", ...MODE },
  { name: "shield", ...MODE },
  { name: "shieldoff", ...MODE },
  { name: "vip", operands: "[user]", ...OF_OWNER },
  { name: "unvip", operands: "[user]", ...OF_OWNER },
  { name: "mod", operands: "[user]", ...OF_OWNER },
  { name: "unmod", operands: "[user]", ...OF_OWNER },
];

/** The commands that a user with this role may run. */
export function commandsOf(role: Role): readonly Command[] {
  const isModerator = role !== null && role !== "vip";
  return COMMANDS.filter(
    ({ who }) => who === "everybody" || (who === "owner" ? role === "owner" : isModerator),
  );
}

/** Whether a text is one for the service to run, and no message. */
export const isCommand = (text: string): boolean => /^\s*\/(?!me(?:\s|$))/i.test(text);
