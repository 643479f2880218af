import type { LiveClient } from "@livecore/client";

/**
 * A browser hears of a lost network long before its sockets do: leaves the socket at once, and connects as soon as there is a
 * network again. `live`: the client that is in use at the time.
 */
export function followNetwork(live: () => LiveClient, onChange: (isOffline: boolean) => void): void {
  addEventListener("offline", () => {
    onChange(true);
    live().drop();
  });
  addEventListener("online", () => {
    onChange(false);
    // One that is still opening may hang as well.
    live().drop();
    live().retryNow();
  });
}
