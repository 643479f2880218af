import { ServiceError } from "../../contract/errors.ts";
import type { StreamDoc } from "../../store/mongo/channels/streams.ts";

/**
 * The number of current viewers of a stream. The live count isn't essential, so while Redis is unavailable the last stored
 * count is used.
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
