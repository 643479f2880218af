import type { Success } from "@livecore/client";
import { useRead } from "../../../site/read.ts";
import { client } from "../../../site/session.ts";
import type { ActProps } from "./act-props.ts";

type Restriction = Success<"getChatMember">["restriction"];

type InForce = {
  /** As the dialog shows it; null: the user can chat. Undefined before it was read. */
  known: Restriction | undefined;
  /** Shows another one. */
  show(now: Restriction): void;
  readNow(): Promise<Restriction>;
};

/** What keeps a user from chatting, which an act on them replaces, with its end and its reason. */
export function useInForce({ streamId, user }: Pick<ActProps, "streamId" | "user">): InForce {
  const at = { path: { stream_id: streamId, user_id: user.id } };
  const { data, change } = useRead("getChatMember", at);
  return {
    known: data?.restriction,
    show: (restriction) => change((before) => ({ ...before, restriction })),
    readNow: async () => (await client.call("getChatMember", at)).restriction,
  };
}
