import type { BrowserContext } from "playwright-core";

/** PUBLIC_URL of the worlds of specs. */
const PUBLIC_URL = "https://livecore.example";

/**
 * Nothing resolves PUBLIC_URL, to which payment pages lead back: its pages lead on to where the browser knows the world. By a script,
 * since the policy of a payment page's form follows redirects.
 */
export async function leadOnFromPublicAddress(context: BrowserContext, baseUrl: string): Promise<void> {
  const body = `<script>location.replace("${baseUrl}" + location.href.slice(location.origin.length))</script>`;
  await context.route(
    ({ origin, pathname }) => origin === PUBLIC_URL && !pathname.startsWith("/files/"),
    (route) => route.fulfill({ contentType: "text/html", body }),
  );
}
