import type { Db } from "mongodb";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { type ApiTokenDoc, apiTokensCollection } from "../../../store/mongo/accounts/api-tokens.ts";
import { emailTokensCollection } from "../../../store/mongo/accounts/email-tokens.ts";
import { filesCollection } from "../../../store/mongo/channels/files.ts";

/** One row of each outbox, due so late that only its release would send it. */
export async function waitingIn(db: Db): Promise<Record<"mail" | "push" | "notification" | "call", string>> {
  const ids = {
    mail: `spec:${newId()}`,
    push: `spec-${newId()}`,
    notification: `mail:${newId()}`,
    call: newId(),
  };
  const [createdAt, dueAt] = [new Date(), new Date(Date.now() + DAY_MS)];
  const row = { userId: newId(), state: "waiting", tries: 0, createdAt, dueAt };
  const put = (name: string, doc: { _id: string } & Record<string, unknown>) =>
    db.collection<{ _id: string }>(name).insertOne(doc);
  const mail = { sealed: "sealed elsewhere", usefulUntil: null, expiresAt: dueAt };
  await put("mails", { ...row, ...mail, _id: ids.mail, template: "reset_password" });
  await put("pushes", { ...row, _id: ids.push, device: newId(), message: { type: "follow" } });
  const line = { notificationId: 1, way: "mail", type: "follow", doneAt: null, messageId: null };
  await put("notification_deliveries", {
    ...line,
    _id: ids.notification,
    userId: row.userId,
    createdAt,
    dueAt,
  });
  const call = { kind: "stop", platformId: "sub_1" };
  await put("platform_calls", {
    _id: ids.call,
    subject: newId(),
    call,
    createdAt,
    dueAt,
    failures: 0,
    parkedAt: null,
  });
  return ids;
}

/** An upload that no row shows, due to be removed in a day; returns a reader of when it is due. */
export async function uploadIn(db: Db): Promise<() => Promise<number>> {
  const files = filesCollection.in(db);
  const dueAt = new Date(Date.now() + DAY_MS);
  const _id = `${newId()}.webp`;
  await files.insertOne({
    _id,
    userId: newId(),
    kind: "avatar",
    state: "pending",
    createdAt: new Date(),
    dueAt,
  });
  return async () => (await files.findOne({ _id }))?.dueAt?.getTime() ?? 0;
}

/** A token for an embedded chat, a personal one and a link that resets a password; returns a reader of what became of them. */
export async function credentialsIn(db: Db): Promise<() => Promise<object>> {
  const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + DAY_MS)];
  const [tokens, links] = [apiTokensCollection.in(db), emailTokensCollection.in(db)];
  const userId = newId();
  const token = (): ApiTokenDoc => ({
    _id: newId(),
    userId,
    name: "bot",
    prefix: "lc_",
    hash: newId(),
    scopes: [],
    createdAt,
    lastUsedAt: null,
    expiresAt,
    endedAt: null,
    endReason: null,
  });
  const [forSite, personal] = [{ ...token(), site: "site.example" }, token()];
  await tokens.insertMany([forSite, personal]);
  const address = "somebody@example.com";
  await links.insertOne({
    _id: `reset:${userId}`,
    hash: newId(),
    purpose: "reset",
    userId,
    email: address,
    emailKey: address,
    createdAt,
    expiresAt,
  });
  const endOf = async ({ _id }: ApiTokenDoc) => (await tokens.findOne({ _id }))?.endReason;
  return async () => ({
    forSite: await endOf(forSite),
    personal: await endOf(personal),
    resetLinks: await links.countDocuments({ purpose: "reset" }),
  });
}
