import { ServiceError } from "../../contract/errors.ts";
import type { Blocks } from "../../store/mongo/channels/blocks.ts";

/** For what one of two users does with the other, where a block in either direction counts. Throws `blocked`. */
export async function requireNoBlockBetween(
  blocks: Pick<Blocks, "eitherWay">,
  one: string,
  other: string,
): Promise<void> {
  if (one === other) return;
  if ((await blocks.eitherWay(one, [other])).size > 0) throw new ServiceError("blocked");
}
