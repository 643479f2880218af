/** The console's page of moderators and VIPs. */
export const consoleRoles = {
  remove: "Remove",
  moderators: {
    title: "Moderators",
    hint: "They delete messages, ban and time out users, change the chat's modes, and run polls and predictions.",
    none: "You have no moderators yet.",
    added: (name: string) => `${name} is a moderator now.`,
    removed: (name: string) => `${name} isn't a moderator any more.`,
    removeOf: (name: string) => `Remove ${name} from the moderators`,
  },
  vips: {
    title: "VIPs",
    hint: "Slow mode, followers-only mode and the like don't apply to them.",
    none: "You have no VIPs yet.",
    added: (name: string) => `${name} is a VIP now.`,
    removed: (name: string) => `${name} isn't a VIP any more.`,
    removeOf: (name: string) => `Remove ${name} from the VIPs`,
  },
};
