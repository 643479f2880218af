import { stripVTControlCharacters } from "node:util";
import { expect } from "chai";
import { newSecret } from "../../actors/accounts/tokens/secret.ts";
import { Secret } from "../../deploy/processes/config/secret.ts";
import { createLogger } from "../../deploy/processes/process/logger.ts";

const HIDDEN = [
  "hunter2-password",
  "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLXBhcnQ",
  "ticket-4711",
  "stream-key-42",
  "refresh-77",
  "system-key-99",
  "cookie-55",
  "mongo-pass",
  "query-ticket-1",
  "nested-secret-3",
  "deviceSecretdeviceSecretdeviceSecretdevice-",
];

function logged(write: (log: ReturnType<typeof createLogger>) => void, readable = false): string {
  const lines: string[] = [];
  write(
    createLogger({
      level: "info",
      process: "spec",
      readable,
      destination: { write: (line: string) => void lines.push(line) },
    }),
  );
  return lines.join("");
}

describe("Logs", () => {
  it("carry no secret, by its name, its form, or inside an error", () => {
    const [
      password,
      jwt,
      ticket,
      streamKey,
      refresh,
      systemKey,
      cookie,
      mongoPass,
      queryTicket,
      nested,
      device,
    ] = HIDDEN;
    const output = logged((log) => {
      log.info({ password, user: { refresh_token: refresh, streamKey } }, "a line");
      log.warn({ headers: { authorization: `Bearer ${jwt}`, cookie, "X-System-Key": systemKey } }, "headers");
      log.info({ device_id: `018f3c5e-7a2b-7c3d-8e4f-5a6b7c8d9e0f.${device}` }, "a device");
      log.info({ url: `/v1/ws?ticket=${queryTicket}&room=1`, note: `Bearer ${jwt}` }, "a request");
      const err = Object.assign(new Error(`can't reach mongodb://app:${mongoPass}@db:27017/`), { ticket });
      log.error({ err: new Error("outer", { cause: err }) }, "it failed");
      log
        .child({ secret: new Secret(nested ?? "") })
        .info({ deep: { deeper: [{ token: nested }] } }, "nested");
      log.error({ err }, `at mongodb://app:${mongoPass}@db/`);
    });

    for (const secret of HIDDEN) expect(output).not.include(secret);
    expect(output.trim().split("\n")).length(7);
  });

  it("carry no personal API token, wherever it stands", () => {
    const { token, shown } = newSecret();
    const output = logged((log) => {
      log.info({ headers: { "x-api-key": token, authorization: `Bearer ${token}` } }, "headers");
      log.info({ note: token, list: [`by ${token}, once`] }, `sent ${token}`);
      log.error({ err: new Error(`no good: ${token}`) }, "it failed");
    });

    expect(output).not.include(token.slice(shown.length)).and.not.include(shown);
    expect(output.trim().split("\n")).length(3);
  });

  it("carry no token of ours in a text, whichever it is, and no verifier of a code", () => {
    const secret = "a-secret-of-43-letters-as-they-are-all-long";
    const kinds = ["pat", "rt", "2fa", "oc", "em", "appeal"];
    const output = logged((log) => {
      for (const kind of kinds) log.info({ note: `lc_${kind}_${secret}` }, `came lc_${kind}_${secret}, once`);
      log.info({ code_verifier: secret, flow: { verifier: secret, codeVerifier: secret } }, "a flow");
      log.info({ url: `/callback?code_verifier=${secret}&x=1` }, "a request");
    });

    expect(output).not.include(secret);
    for (const kind of kinds) expect(output).include(`came lc_${kind}_[secret], once`);
  });

  it("are a line for people where they are read in a terminal, with all fields and no secret", () => {
    const output = stripVTControlCharacters(
      logged((log) => {
        log.info({ streamId: "s1", password: HIDDEN[0] }, "it went live");
        log.error({ err: new Error(`at mongodb://app:${HIDDEN[7]}@db/`) }, "it failed");
      }, true),
    );

    expect(output.split("\n")[0]).match(
      /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: spec: it went live \{.*"streamId":"s1"/,
    );
    expect(output).include("ERROR: spec: it failed").include("at mongodb://app:[secret]@db/");
    for (const secret of HIDDEN) expect(output).not.include(secret);
  });

  it("keep what helps: error types, causes, counts, plain fields", () => {
    const output = logged((log) =>
      log.error(
        { err: new TypeError("outer", { cause: new Error("inner") }), tokens: 3, streamId: "s1", big: 5n },
        "failed",
      ),
    );

    const line = JSON.parse(output);

    expect(line).include({
      level: "error",
      process: "spec",
      msg: "failed",
      tokens: 3,
      streamId: "s1",
      big: "5",
    });
    expect(line.err).include({ type: "TypeError", message: "outer" });
    expect(line.err.cause.message).equal("inner");
  });

  it("survive a cycle and a huge object", () => {
    const cycle: Record<string, unknown> = {
      name: "cycle",
      list: Array.from({ length: 10_000 }, (_, i) => i),
    };
    cycle.self = cycle;

    const output = logged((log) => log.info({ cycle }, "round"));

    expect(output.length).lessThan(20_000);
    expect(JSON.parse(output).msg).equal("round");
  });
});
