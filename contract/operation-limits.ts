import type { RateLimit } from "./errors.ts";

type Window = Pick<RateLimit, "limit" | "windowSeconds">;

/**
 * The limits of a bucket besides that of all requests: for signed-in users (without it they count by address too), and by
 * address.
 */
export type OperationLimit = {
  byUser?: Window;
  byAddress?: Window;
  /** Each stream, and each device of an address, has a count of its own. */
  isPerStream?: true;
};

/**
 * The buckets that an operation may name in x-rate-limit. If a bucket has no limit by address, the limit by user also
 * applies to callers who aren't signed in. Limits by address are multiplied by RATE_LIMIT_FACTOR, since a demo or a load
 * test comes from one address.
 */
export const OPERATION_LIMITS = {
  auth: { byAddress: { limit: 10, windowSeconds: 60 } },
  register: { byAddress: { limit: 5, windowSeconds: 3_600 } },
  // As one types, with a pause; the estimate of a long password takes half a second of a thread.
  sign_up_checks: { byAddress: { limit: 30, windowSeconds: 60 } },
  // Sign-in pages ask for one each time they are opened.
  passkey_options: { byAddress: { limit: 60, windowSeconds: 60 } },
  // Each sends a mail to their owner.
  passkeys: { byUser: { limit: 30, windowSeconds: 3_600 } },
  // Each may send a mail to an address that the caller chooses.
  verifications: { byUser: { limit: 5, windowSeconds: 3_600 } },
  resets: { byAddress: { limit: 20, windowSeconds: 3_600 } },
  // Hundreds of kilobytes each, which stay in our buffers if the reader stops.
  docs: { byAddress: { limit: 60, windowSeconds: 60 } },
  // By address: as many as the 50 devices that count per address and stream may send.
  heartbeat: {
    byUser: { limit: 6, windowSeconds: 60 },
    byAddress: { limit: 300, windowSeconds: 60 },
    isPerStream: true,
  },
  // Each change is an event for everybody in two rooms.
  hosting: { byUser: { limit: 10, windowSeconds: 60 } },
  raids: { byUser: { limit: 10, windowSeconds: 600 } },
  // Each is two events for everybody in the room, and two entries of its log.
  polls: { byUser: { limit: 10, windowSeconds: 60 } },
  unban_requests: { byUser: { limit: 10, windowSeconds: 3_600 } },
  redemptions: { byUser: { limit: 60, windowSeconds: 60 } },
  // Up to fifty items each.
  bulk: { byUser: { limit: 20, windowSeconds: 60 } },
  // Each is work for the media service.
  clips: { byUser: { limit: 30, windowSeconds: 3_600 } },
  reports: { byUser: { limit: 20, windowSeconds: 3_600 }, byAddress: { limit: 20, windowSeconds: 3_600 } },
  whispers: { byUser: { limit: 100, windowSeconds: 60 } },
  support: { byAddress: { limit: 5, windowSeconds: 3_600 } },
  uploads: { byUser: { limit: 10, windowSeconds: 3_600 } },
  // Setting up a channel takes many small uploads.
  chat_images: { byUser: { limit: 60, windowSeconds: 3_600 } },
  // One is enough; the others are for downloads that were cut off.
  export: { byUser: { limit: 3, windowSeconds: 86_400 } },
  // Pictures of everybody in a chat; a browser caches each.
  files: { byAddress: { limit: 1_200, windowSeconds: 60 } },
  // As fast as crawlers go.
  pages: { byAddress: { limit: 600, windowSeconds: 60 } },
  // Calendars and sitemap files: each is as much work as some hundred other requests, and open to everybody.
  bulk_reads: { byAddress: { limit: 60, windowSeconds: 60 } },
  // Each is a call to the payment platform.
  checkout: { byUser: { limit: 20, windowSeconds: 60 }, byAddress: { limit: 20, windowSeconds: 60 } },
  // Reads three months of a channel.
  analytics: { byUser: { limit: 60, windowSeconds: 60 } },
  tokens: { byUser: { limit: 10, windowSeconds: 3_600 } },
  // Setting up a channel takes several.
  overlays: { byUser: { limit: 60, windowSeconds: 3_600 } },
  overlay_tests: { byUser: { limit: 30, windowSeconds: 60 } },
  // Workers recompile a room's terms after each.
  terms: { byUser: { limit: 120, windowSeconds: 60 } },
  // Each searches four indexes, and again for typing errors.
  search: { byUser: { limit: 60, windowSeconds: 60 }, byAddress: { limit: 60, windowSeconds: 60 } },
  // Each searches two indexes, while somebody types.
  suggestions: { byUser: { limit: 180, windowSeconds: 60 }, byAddress: { limit: 300, windowSeconds: 60 } },
} as const satisfies Record<string, OperationLimit>;

export type OperationBucket = keyof typeof OPERATION_LIMITS;

export const isOperationBucket = (name: string): name is OperationBucket =>
  Object.hasOwn(OPERATION_LIMITS, name);

/** The limit of a bucket as the documents say it; null for a bucket that isn't there. */
export function limitInWords(bucket: string): string | null {
  if (!isOperationBucket(bucket)) return null;
  const { byUser, byAddress, isPerStream }: OperationLimit = OPERATION_LIMITS[bucket];
  const user = `per signed-in user${isPerStream ? " and stream" : ""}`;
  const address = `per address${isPerStream ? ", stream and device" : ""}`;
  if (!byUser) return byAddress ? `${rateOf(byAddress)} ${address}` : null;
  if (!byAddress) return `${rateOf(byUser)} ${user}`;
  const isSame = rateOf(byUser) === rateOf(byAddress);
  return `${rateOf(byUser)} ${user}, otherwise ${isSame ? "" : `${rateOf(byAddress)} `}${address}`;
}

const SPANS: Record<number, string> = { 60: "a minute", 3600: "an hour", 86400: "a day" };

const rateOf = ({ limit, windowSeconds }: Window): string =>
  `${limit} ${SPANS[windowSeconds] ?? `in ${windowSeconds / 60} minutes`}`;
