/** Moments of a broadcast to find again. */
export const markers = {
  title: "Markers",
  none: "No moments are marked yet. Markers lead back to them in the video.",
  noneOffline: "No moments were marked in your last stream.",
  description: "Description (optional)",
  make: "Add marker",
  remove: "Delete",
  removeOf: (time: string) => `Delete the marker at ${time}`,
};
