import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { signedHeaders } from "../../../actors/hooks/signatures.ts";
import type { PaymentPlatform } from "../../../actors/monetization/payments/platform.ts";
import { type DocumentedOperation, operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { PEERS, type Peer } from "../../../contract/peers.ts";
import type { Answer, OperationId } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { openWorld } from "../../support/world.ts";

const systemOperations = operationsOf(readOpenApi()).filter(
  ({ operation }) => operation["x-access"].who === "system",
);
const signedOperations = systemOperations.filter(({ operation }) => operation["x-access"].signed);
const peers = Object.keys(PEERS) as Peer[];

/** By whom a body is signed: services that call us, and ourselves when we call the media service. */
const SIGNERS = ["media", "billing", "ourselves"] as const;

describe("system keys and webhook secrets", () => {
  const clock = movableClock();
  const { world } = setUpWorld({ clock });

  const secretOf = (signer: (typeof SIGNERS)[number]) =>
    signer === "ourselves" ? world.requestSecret : world.webhookSecrets[signer][0];

  /** Sends a report of an unknown type, which is accepted and ignored. */
  function report(
    { operation }: DocumentedOperation,
    signer: (typeof SIGNERS)[number],
    carrier: { headers?: Record<string, string>; query?: Record<string, string> },
  ): Promise<Answer> {
    const id = randomUUID();
    const body = JSON.stringify({ id, type: "nothing.known", created_at: new Date(clock.now()), data: {} });
    const { headers = {}, query = {} } = carrier;
    return world.api.call(operation.operationId as OperationId, {
      headers: { ...headers, ...signedHeaders(secretOf(signer), id, body, clock.now()) },
      query,
      ...(operation.requestBody ? { body } : {}),
    });
  }

  it("each operation that takes a system key names one service", () => {
    expect(systemOperations.map(({ operation: { operationId } }) => operationId)).include.members([
      ...["ingestPublish", "ingestPublishDone", "getIngestConfig", "getEdgeConfig"],
      ...["mediaHook", "billingHook"],
    ]);
    for (const { operation } of systemOperations) expect(peers).include(operation["x-access"].peer);
  });

  for (const called of systemOperations) {
    const { operationId, "x-access": access } = called.operation;
    for (const peer of peers) {
      const isOwn = access.peer === peer;
      it(`${PEERS[peer]} ${isOwn ? "may" : "may not"} call ${operationId}`, async () => {
        const signer = access.peer === "media" ? "media" : "billing";
        const headers = { "x-system-key": world.systemKeys[peer] };
        const answer = await report(called, signer, { headers });
        if (isOwn) expect(answer.code).not.equal("system_key_required");
        else expect([answer.status, answer.code]).deep.equal([401, "system_key_required"]);
      });
    }

    it(`${operationId} accepts ${access.query_key ? "only the RTMP server's key" : "no key"} in its query`, async () => {
      for (const peer of peers) {
        const { code } = await report(called, "media", { query: { system_key: world.systemKeys[peer] } });
        const isOpen = access.query_key === true && peer === "ingest";
        expect(code === "system_key_required", peer).equal(!isOpen);
      }
    });
  }

  for (const called of signedOperations) {
    const { operationId, "x-access": access } = called.operation;
    for (const signer of SIGNERS) {
      const isOwn = access.peer === signer;
      it(`${operationId} ${isOwn ? "accepts" : "refuses"} what the secret of ${signer} signed`, async () => {
        const headers = { "x-system-key": world.systemKeys[access.peer ?? "ingest"] };
        const { status, code } = await report(called, signer, { headers });
        expect([status, code]).deep.equal(isOwn ? [200, null] : [401, "signature_invalid"]);
      });
    }
  }

  it("billingHook is closed while the platform reports in a format of its own", async () => {
    const platform: PaymentPlatform = {
      reports: "own",
      openCheckout: () => Promise.reject(new Error("nobody pays here")),
      call: () => Promise.resolve(),
      verifyHook: () => undefined,
      readHook: () => null,
    };
    const stripe = await openWorld({ clock, platform });
    try {
      const id = randomUUID();
      const body = JSON.stringify({ id, type: "tip.completed", created_at: new Date(clock.now()), data: {} });
      const signed = signedHeaders(stripe.webhookSecrets.billing[0], id, body, clock.now());
      const headers = { "x-system-key": stripe.systemKeys.billing, ...signed };
      const answer = await stripe.api.call("billingHook", { headers, body });
      expect([answer.status, answer.code]).deep.equal([404, "not_found"]);
    } finally {
      await stripe.close();
    }
  });
});
