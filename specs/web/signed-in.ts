import type { BrowserContext } from "playwright-core";
import type { Person } from "../support/given-channels.ts";

const PASSWORD = "a long phrase for specs";

/** The browser's pages of the site are that user's from now on. */
export async function signIn(
  context: BrowserContext,
  baseUrl: string,
  { username }: Pick<Person, "username">,
  password = PASSWORD,
): Promise<void> {
  await context.clearCookies();
  const answer = await context.request.post(`${baseUrl}/v1/auth/login`, {
    headers: { "X-Auth-Mode": "cookie", "X-Service-Client": "spec" },
    data: { login: username, password },
  });
  if (!answer.ok()) throw new Error(await answer.text());
}
