import { expect } from "chai";
import { hashToken } from "../../../actors/accounts/tokens/refresh-tokens.ts";
import { MASTER_KEY, type Opened, openAccounts, origin, outcome, PASSWORD } from "./open-accounts.ts";

const NEXT = "the next master key for specs, as long";

describe("a change of MASTER_KEY", () => {
  let opened: Opened;
  beforeEach(async () => {
    opened = await openAccounts();
  });
  afterEach(() => opened.close());

  async function started(masterKey: [string, ...string[]]) {
    const accounts = opened.another({ masterKey });
    await accounts.start();
    return accounts;
  }

  it("keeps everybody signed in, also the client that never saw the answer to its refresh", async () => {
    const { accessToken, refreshToken } = await opened.account();
    const after = await started([NEXT, MASTER_KEY]);

    expect(await outcome(after.tokens.authenticate(accessToken, "bearer"))).equal("accepted");
    const first = await after.sessions.refresh(refreshToken, origin);
    expect((await after.sessions.refresh(refreshToken, origin)).refreshToken).equal(first.refreshToken);
    opened.clock.move(60_000);
    expect(await outcome(after.sessions.refresh(first.refreshToken, origin))).equal("accepted");
    await after.stop();
  });

  it("accepts a session's binding that was made with the old key", async () => {
    const { accessToken, binding } = await opened.account();
    const after = await started([NEXT, MASTER_KEY]);
    const other = await opened.account();
    const sent = { access: [other.accessToken, accessToken], refresh: [], devices: [], needsBinding: true };

    expect(await outcome(after.tokens.authenticateByCookie({ ...sent, binding }))).equal("accepted");
    const without = { ...sent, access: [other.accessToken], binding };
    expect(await outcome(after.tokens.authenticateByCookie(without))).equal("invalid_token");
    await after.stop();
  });

  it("lets workers with the old key and the new one take turns, once both know both", async () => {
    const { refreshToken } = await opened.account();
    const [before, after] = [await started([MASTER_KEY, NEXT]), await started([NEXT, MASTER_KEY])];
    let token = refreshToken;
    for (const worker of [after, before, after, before]) {
      const given = (await worker.sessions.refresh(token, origin)).refreshToken;
      // In its grace, by the other one.
      const other = worker === after ? before : after;
      expect((await other.sessions.refresh(token, origin)).refreshToken).equal(given);
      token = given;
      opened.clock.move(60_000);
    }
    await Promise.all([before.stop(), after.stop()]);
  });

  it("knows the device again that was given out before", async () => {
    const { deviceId, sessionId, username } = await opened.account();
    const after = await started([NEXT, MASTER_KEY]);

    await after.signIn.login({ login: username, password: PASSWORD, knownDevice: deviceId }, origin);

    const [signedIn] = opened.audited.filter(({ event }) => event === "sign_in.succeeded");
    expect(signedIn).include({ device: "known" });
    const doc = await opened.stores.mongo.db
      .collection<{ _id: string }>("sessions")
      .findOne({ _id: sessionId });
    expect(doc).include({ deviceHash: hashToken(deviceId.split(".")[1] ?? "") });
    await after.stop();
  });
});
