import { randomUUID } from "node:crypto";
import { signedHeaders } from "../../actors/hooks/signatures.ts";
import type { Answer, Api } from "./api.ts";
import type { MovableClock } from "./clock.ts";
import type { World } from "./world.ts";

type Where = { api: Api; clock: MovableClock } & Pick<World, "systemKeys" | "webhookSecrets">;

type Hook = { id?: string; type: string; created_at?: string; data: Record<string, unknown> };

/** Acts as a payment platform: presses the buttons of its page, and sends reports. */
export function givenBilling({ api, clock, systemKeys, webhookSecrets }: Where) {
  const now = () => new Date(clock.now()).toISOString();
  return {
    /** Presses a button of a checkout's page; returns the page's answer. */
    async press(
      checkoutUrl: string | null | undefined,
      action: string,
    ): Promise<{ status: number; page: string }> {
      const answer = await fetch(`${checkoutUrl}/${action}`, { method: "POST" });
      return { status: answer.status, page: await answer.text() };
    },

    /** Sends a signed report. `change` corrupts what is sent. */
    send(
      hook: Hook,
      change: { secret?: string; headers?: Record<string, string>; body?: string } = {},
      operation: "billingHook" | "mediaHook" = "billingHook",
    ): Promise<Answer> {
      const peer = operation === "mediaHook" ? "media" : "billing";
      const { id = randomUUID(), created_at = now(), ...rest } = hook;
      const body = JSON.stringify({ id, created_at, ...rest });
      const signed = signedHeaders(change.secret ?? webhookSecrets[peer][0], id, body, clock.now());
      return api.call(operation, {
        headers: { "x-system-key": systemKeys[peer], ...signed, ...change.headers },
        body: change.body ?? body,
      });
    },
  };
}
