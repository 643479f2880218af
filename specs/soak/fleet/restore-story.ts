import { randomBytes } from "node:crypto";
import { expect } from "chai";
import type { Redis } from "ioredis";
import type { Db } from "mongodb";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import type { Answer, Api, Success } from "../../support/api.ts";
import { backUpDatabase, backUpRedis } from "../../support/backup.ts";
import { credentialsIn, uploadIn, waitingIn } from "./restore-rows.ts";

/** What Redis has after the database was restored. */
export type RedisThen = "newer" | "older" | "empty";

/** A service with stores of its own, which can be stopped and started again. */
export type RestorableService = {
  start(): Promise<Api>;
  stop(): Promise<void>;
  /** `npm run restored -- …`. */
  restored(args: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  /** Connected under other names than workers are. */
  db: Db;
  redis: Redis;
  print(line: string): void;
};

const PASSWORD = "a long phrase for specs";
/** A room takes one message a second of a user. */
const APART_MS = 1_100;

type Account = { id: string; name: string; access: string; refresh: string };

/**
 * A day of a service whose database is restored from a backup, by the public API: what was done since the backup doesn't count, and
 * nothing that the database had lost acts. Throws when a promise doesn't hold.
 */
export async function tellRestore(
  service: RestorableService,
  redisThen: RedisThen,
  { keepsSessions = false, endsTokens = false }: { keepsSessions?: boolean; endsTokens?: boolean } = {},
): Promise<void> {
  const { db, redis, print } = service;
  let api = await service.start();
  const bearer = () => api.with({ "x-auth-mode": "bearer" });

  function account({ user, access_token = "", refresh_token = "" }: Success<"login">): Account {
    if (!user) throw new Error("signing in takes one step");
    return { id: user.id, name: user.username, access: access_token, refresh: refresh_token };
  }
  async function register(): Promise<Account> {
    const username = `u_${randomBytes(8).toString("hex")}`;
    const body = { username, email: `${username}@example.com`, password: PASSWORD };
    return account(await bearer().ok("register", { body }));
  }
  const signIn = async ({ name }: Account) =>
    account(await bearer().ok("login", { body: { login: name, password: PASSWORD } }));
  const by = ({ access }: Account) => api.as({ token: access });
  const refresh = (token: string) => bearer().call("refresh", { body: { refresh_token: token } });
  const refreshOf = async ({ refresh: token }: Account) =>
    bearer().bodyOf("refresh", await refresh(token)).refresh_token ?? "";
  const code = async (answer: Promise<Answer>) => {
    const { status, code: refusal } = await answer;
    return refusal ?? String(status);
  };

  const owner = await register();
  const at = { stream_id: (await by(owner).ok("getMyStream")).id };
  const say = (who: Account) =>
    by(who).call("sendChatMessage", { params: at, body: { content: `by ${newId()}` } });
  const ban = (who: Account) => by(owner).ok("banUser", { params: { ...at, user_id: who.id } });
  const [leaving, refreshing, quiet, renewing, troll, other] = await Promise.all(
    Array.from({ length: 6 }, register),
  );
  if (!leaving || !refreshing || !quiet || !renewing || !troll || !other) throw new Error("six accounts");
  for (const who of [leaving, refreshing, quiet, troll, other]) expect(await code(say(who))).equal("201");
  // So that the channel's version of moderation isn't zero.
  await by(owner).call("addVip", { params: { ...at, user_id: quiet.id } });
  const kids = async () => (await api.ok("getJwks")).keys.map(({ kid }) => kid);
  const epoch = async () => (await api.ok("getChatRoom", { params: at })).epoch;
  const [kidsBefore, epochBefore] = [await kids(), await epoch()];
  const held = await waitingIn(db);
  const credentials = await credentialsIn(db);
  const uploadDueAt = await uploadIn(db);

  print("backup");
  const backupTime = new Date().toISOString();
  // While the backup is being made: it has them, and shows that they are newer than its time.
  const begun = await signIn(quiet);
  const renewed = { ...renewing, refresh: await refreshOf(renewing) };
  const restoreDatabase = await backUpDatabase(db);
  const restoreRedis = await backUpRedis(redis);

  await by(leaving).ok("logout");
  const { refresh_token: refreshed = "", access_token: access = "" } = bearer().bodyOf(
    "refresh",
    await refresh(refreshing.refresh),
  );
  const unknown = await register();
  expect(await code(by(unknown).call("followUser", { params: { user_id: owner.id } }))).match(/^20\d$/);
  await ban(troll);
  expect(await code(say(troll))).equal("banned");
  expect(await service.restored(["--backup-time", backupTime]))
    .property("stderr")
    .include("still runs");

  print(`restore, with a Redis that is ${redisThen}`);
  await service.stop();
  await restoreDatabase();
  if (redisThen === "older") await restoreRedis();
  if (redisThen === "empty") await redis.flushall();
  const order = [
    ...["--backup-time", backupTime],
    ...(keepsSessions ? ["--keep-sessions"] : []),
    ...(endsTokens ? ["--end-tokens"] : []),
  ];
  const done = await service.restored(order);
  expect(done.code, done.stderr).equal(0);
  expect(done.stdout).match(keepsSessions ? /Sessions: 2 ended;/ : /Sessions: [1-9]\d* ended\./);
  for (const id of Object.values(held)) expect(done.stdout).include(id);
  expect(done.stderr).match(/"event":"database.restored".*"backupTime":"20/);
  api = await service.start();
  expect(await kids()).not.include.any.members(kidsBefore);
  expect(await epoch()).greaterThan(epochBefore);

  print("what the database has lost");
  for (const gone of [unknown, leaving, { ...refreshing, access }]) {
    expect(await code(say(gone))).equal("invalid_token");
    expect(await code(by(gone).call("createWsTicket"))).equal("invalid_token");
    expect(await code(by(gone).call("followUser", { params: { user_id: owner.id } }))).equal("invalid_token");
  }
  for (const token of [unknown.refresh, refreshed, refreshing.refresh, begun.refresh, renewed.refresh])
    expect(await code(refresh(token))).equal("invalid_token");
  for (const { refresh: token } of [leaving, quiet])
    expect(await code(refresh(token))).equal(keepsSessions ? "200" : "invalid_token");
  expect(await code(bearer().call("login", { body: { login: unknown.name, password: PASSWORD } }))).equal(
    "invalid_credentials",
  );

  expect(await credentials()).deep.equal({
    forSite: "ended",
    personal: endsTokens ? "ended" : null,
    resetLinks: 0,
  });

  // A newer backup may show it.
  expect(await uploadDueAt()).within(Date.now() + 29.9 * DAY_MS, Date.now() + 30.1 * DAY_MS);

  print("what goes on");
  Object.assign(owner, await signIn(owner));
  const back = await signIn(quiet);
  expect(await code(say(back))).equal("201");
  const trollBack = await signIn(troll);
  // Only Redis can know of it.
  expect(await code(say(trollBack))).equal(redisThen === "newer" ? "banned" : "201");
  await ban(other);
  expect(await code(say(await signIn(other)))).equal("banned");
  await pause(APART_MS);
  expect(await code(say(back))).equal("201");

  print("what waits");
  expect((await service.restored(["--release", "mails", held.mail])).stdout).include("1 mails released");
  expect((await service.restored(["--drop", "pushes"])).stdout).include("1 pushes dropped");
  expect((await service.restored(["--drop", "notifications"])).stdout).match(
    /[1-9]\d* notifications dropped/,
  );
  const { stdout: left } = await service.restored(["--drop", "calls", newId()]);
  expect(left).include("0 calls dropped").and.include(held.call).and.not.include(held.mail);
  expect(await stateOf(db, "mails", held.mail)).not.equal("held");
  expect(await stateOf(db, "pushes", held.push)).equal("dropped");

  print("the same once more");
  await service.stop();
  const again = await service.restored(order);
  expect(again.stdout).include("done before");
  api = await service.start();
  await pause(APART_MS);
  expect(await code(say(back))).equal("201");
  if (endsTokens) return;

  print("and personal tokens, too");
  await service.stop();
  const more = await service.restored([...order, "--end-tokens"]);
  expect(more.stdout).match(/API tokens: [2-9]\d* ended\./);
  expect(await credentials())
    .property("personal")
    .equal("ended");
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

const stateOf = async (db: Db, collection: string, _id: string): Promise<unknown> =>
  (await db.collection<{ _id: string; state?: unknown }>(collection).findOne({ _id }))?.state;
