import { withContext } from "../../host/with-context.ts";

/** From version 1 to 2, which stores media reports. Snapshots not in version 1's format fail validation afterwards. */
export const withMedia = (snapshot: unknown): unknown =>
  withContext(snapshot, (context) => {
    const liveSince = typeof context.liveSince === "number" ? context.liveSince : 0;
    const isConnected = "clientId" in context && context.clientId !== null;
    return { publishedAt: isConnected ? liveSince : null, waitsForMedia: false, mediaAt: null };
  });

/** From version 3 to 4, which takes back a publisher that was lost. */
export const withLostPublisher = (snapshot: unknown): unknown =>
  withContext(snapshot, () => ({ lostClientId: null }));
