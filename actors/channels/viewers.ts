import { ServiceError } from "../../specs/contract/errors.ts";
import type { StreamDoc } from "../../store/mongo/streams.ts";

/**
 * How many watch a stream now. A stream can be shown without the live figure, so with Redis unavailable it is the one
 * of the last count.
 */
export async function viewersOf(
  presence: { count(streamId: string): Promise<number> },
  stream: StreamDoc,
): Promise<number> {
  try {
    return await presence.count(stream._id);
  } catch (err) {
    if (err instanceof ServiceError && err.code === "unavailable") return stream.viewerCount;
    throw err;
  }
}
