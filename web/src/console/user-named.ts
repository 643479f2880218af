import { LivecoreError } from "@livecore/client";
import type { Schemas } from "../site/page-data.ts";
import { Problem } from "../site/problems.ts";
import { client } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";

/** The user whose name was typed, with or without an @. Rejects with a Problem where nobody has that name. */
export async function userNamed(typed: string): Promise<Schemas["PublicProfile"]> {
  const username = typed.trim().replace(/^@/, "").toLowerCase();
  try {
    return await client.call("getPublicProfile", { path: { username } });
  } catch (err) {
    if (err instanceof LivecoreError && err.code === "not_found") throw new Problem(TEXTS.console.noSuchUser);
    throw err;
  }
}
