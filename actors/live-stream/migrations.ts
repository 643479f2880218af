/** From version 2 to 3, which sets a stream's key and drops publishers; the stored format is the same. */
export const withCutOff = (snapshot: unknown): unknown => snapshot;

/** From version 1 to 2, which stores media reports. Snapshots not in version 1's format fail validation afterwards. */
export function withMedia(snapshot: unknown): unknown {
  if (typeof snapshot !== "object" || snapshot === null || !("context" in snapshot)) return snapshot;
  const { context } = snapshot;
  if (typeof context !== "object" || context === null) return snapshot;
  const liveSince = "liveSince" in context && typeof context.liveSince === "number" ? context.liveSince : 0;
  const isConnected = "clientId" in context && context.clientId !== null;
  const added = { publishedAt: isConnected ? liveSince : null, waitsForMedia: false, mediaAt: null };
  return { ...snapshot, context: { ...context, ...added } };
}
