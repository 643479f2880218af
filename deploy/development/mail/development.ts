import type { RequestListener } from "node:http";
import type { Settings } from "../../processes/config/config.ts";
import { SETTINGS } from "../../processes/config/settings.ts";
import type { Lifecycle } from "../../processes/process/lifecycle.ts";
import { createMailboxApp } from "./mailbox-app.ts";
import { startMailSink } from "./sink.ts";

/** Outside production and without SMTP_URL: receives mails and shows them. `env` holds the variables for workers. */
export async function startDevelopmentMail(
  lifecycle: Lifecycle,
  { env, mail }: Settings,
): Promise<{ env: Record<string, string>; app: RequestListener | null }> {
  if (env === "production" || mail.smtpUrl) return { env: {}, app: null };
  const sink = await lifecycle.start("development mail", startMailSink, (one) => one.close());
  return { env: { [SETTINGS.smtpUrl.name]: sink.url }, app: createMailboxApp(sink) };
}
