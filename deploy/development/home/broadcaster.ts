import { type KeptAccount, keptAccount } from "./kept-account.ts";

/** An account to broadcast with, and what to paste into OBS. */
export type Broadcaster = KeptAccount & { streamId: string; streamKey: string };

/** The broadcaster whose credentials are in `file`, with its channel. */
export async function broadcasterAt(
  baseUrl: string,
  { file, prefix }: { file: string; prefix: string },
): Promise<Broadcaster> {
  const account = await keptAccount(baseUrl, { file, prefix });
  const { id: streamId, stream_key: streamKey } = await account.client.call("getMyStream");
  if (!streamKey) throw new Error("the stream has no key");
  return { ...account, streamId, streamKey };
}
