/** Badges and emotes of the whole instance. */
export const staffSets = {
  emotes: "Global emotes",
  emotesHint: "Everybody can write them in every chat.",
  noEmotes: "There are no global emotes yet.",
  badges: "Global badges",
  badgesHint: "Users to whom you give a badge have it beside their name in every chat.",
  noBadges: "There are no global badges yet.",
};
