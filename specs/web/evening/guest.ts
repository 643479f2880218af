import { createClient } from "../../../clients/typescript/src/index.ts";
import type { Service } from "../../support/service.ts";

/** Another channel, which the raid goes to. */
export async function openGuest({ http: baseUrl }: Service) {
  const client = createClient({ baseUrl });
  const body = { username: "guest_of", email: "guest@example.com", password: "a long phrase for specs" };
  await client.call("register", { body });
  const { id: userId, username } = await client.call("getMe");
  const { stream_key: streamKey } = await client.call("getMyStream");
  return { userId, username, streamKey: String(streamKey) };
}
