/** Where a channel's moderators, and whoever else may moderate it, run its chat. */
export const deskPath = (username: string): string => `/console/${username}/moderation`;
