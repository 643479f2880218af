import type { BrowserContext } from "playwright-core";
import type { Person } from "../../support/given-channels.ts";

const PASSWORD = "a long phrase for specs";
const headers = { "X-Auth-Mode": "cookie", "X-Service-Client": "spec" };

/** The browser's pages of the site are that staff member's from now on; the sign-in uses up a recovery code as its second factor. */
export async function signInStaff(
  context: BrowserContext,
  baseUrl: string,
  { username, authenticator }: Pick<Person, "username" | "authenticator">,
): Promise<void> {
  await context.clearCookies();
  const post = async (path: string, data: object): Promise<unknown> => {
    const answer = await context.request.post(`${baseUrl}/v1/auth/${path}`, { headers, data });
    if (!answer.ok()) throw new Error(await answer.text());
    return answer.json();
  };
  const first = Object(await post("login", { login: username, password: PASSWORD }));
  const code = authenticator?.recoveryCodes.pop();
  await post("2fa", { two_factor_token: first.two_factor_token, code });
}
