// Sends a report to POST /v1/webhooks/billing, signed as Standard Webhooks say (docs/payments.md has the types):
//   node send.mjs '{"type":"checkout.completed","data":{"checkout_id":"…","amount_cents":499,"currency":"USD","platform_id":"sub_1"}}'
// LIVECORE_URL, BILLING_KEY and BILLING_WEBHOOK_SECRET are those of the service.
import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

const TRIES = 5;
const { LIVECORE_URL = "http://localhost:8080", BILLING_KEY, BILLING_WEBHOOK_SECRET: secret } = process.env;
const report = reportIn(process.argv[2]);
if (!report || !BILLING_KEY || !secret) {
  console.error(
    "Usage: node send.mjs '<report as JSON>', with BILLING_KEY and BILLING_WEBHOOK_SECRET set (examples/README.md).",
  );
  process.exit(2);
}

// The same id for all tries: the service books a report once, however often it comes.
const id = `evt_${randomUUID()}`;
const body = JSON.stringify({
  id,
  created_at: new Date().toISOString(),
  ...report,
});

/** Signed anew for each try: a signature is good for five minutes. */
function signed() {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  // Base64 after the prefix; a secret without it is the key itself, byte by byte.
  const [, encoded] = /^whsec_(.*)$/s.exec(secret) ?? [];
  const key = encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

/** True once the service has it. Throws when it never will: 400 and 401 are faults of this program. */
async function deliver() {
  const headers = { "content-type": "application/json", "x-system-key": BILLING_KEY, ...signed() };
  const request = { method: "POST", headers, body, signal: AbortSignal.timeout(10_000) };
  const answer = await fetch(`${LIVECORE_URL}/v1/webhooks/billing`, request).catch(() => null);
  if (answer?.ok) return true;
  if (answer && answer.status < 500 && answer.status !== 429)
    throw new Error(`${answer.status} ${await answer.text()}`);
  return false;
}

let isDelivered = await deliver();
for (let tries = 1; !isDelivered && tries < TRIES; tries++) {
  await pause(1_000 * 2 ** tries * (0.5 + Math.random() / 2));
  isDelivered = await deliver();
}
console.log(isDelivered ? `${id} is delivered.` : `${id} couldn't be delivered.`);
process.exitCode = isDelivered ? 0 : 1;

/** Null for what isn't a JSON object. */
function reportIn(text = "") {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
