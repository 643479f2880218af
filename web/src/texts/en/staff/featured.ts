/** What the home page shows first. */
export const staffFeatured = {
  title: "On the home page",
  hint: "The home page shows those that are live, in this order. At most 20.",
  none: "No channel is featured.",
  tooMany: "At most 20 channels can be featured. Remove one first.",
};
