import type { ComponentChildren } from "preact";
import { Loaded } from "../components/loaded.tsx";
import { useRead } from "../site/read.ts";

/** What needs the id of one's own stream, which is also that of the channel's room. */
export function OfOwnStream({ children }: { children: (streamId: string) => ComponentChildren }) {
  const stream = useRead("getMyStream", {});
  return <Loaded read={stream}>{({ id }) => children(id)}</Loaded>;
}
