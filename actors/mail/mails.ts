/**
 * Mails, from their cause to the SMTP server (a transactional outbox):
 * 1. The cause of a mail requests it under an idempotency key, in its own transaction: both are committed or neither.
 * 2. A sweep of the jobs workers claims each row for one try, renders it and sends it. Failures are retried with exponential
 *    back-off until the mail is of no use any more or has had too many tries; then it is given up, and alerts.
 * 3. Once a mail has ended, its recipient and data are removed from the row. The key stays, so the cause can't send it twice.
 * Delivery is at least once: a worker that dies after the server has accepted a mail and before the row is ended sends it again,
 * with the same Message-ID.
 */
import { createHash } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { Clock } from "../../base/clock.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/durations.ts";
import type { Log } from "../../base/log.ts";
import type { Meter } from "../../base/metrics.ts";
import { createOutageLog } from "../../base/outage-log.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { type MailDoc, type MailEnd, mailsIn } from "../../store/mongo/notifications/mails.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { exponentialBackoff } from "../host/exponential-backoff.ts";
import { MAIL_METRICS } from "./metrics.ts";
import { createRecipientLimit } from "./recipient-limit.ts";
import { renderMail } from "./rendering.ts";
import { createSendSlots, settledWithin } from "./send-slots.ts";
import { MAIL_TEXTS, type MailData, type MailTemplate } from "./texts.ts";
import { MailRefused, MailServerUnavailable, type MailTransport } from "./transport.ts";

/** Mails per sweep; more are left to the next. */
const BATCH_SIZE = 100;
const CONCURRENCY = 5;
/** How many of these may go to one domain. */
const CONCURRENCY_PER_DOMAIN = 2;
/** A sweep ends after this time and leaves its unfinished tries running; the next sweep picks up mails that came meanwhile. */
const SWEEP_MS = 3_000;
/** How long mails to a domain are postponed while earlier sweeps' tries take all its slots. */
const SLOW_DOMAIN_DELAY_MS = 5_000;
/** How long mails with a template that only a newer release knows are postponed. */
const UNKNOWN_TEMPLATE_DELAY_MS = MINUTE_MS;
const pauseAfter = exponentialBackoff(5_000, HOUR_MS);
/** With the back-off between them, tries span about 15 hours. */
export const MAX_TRIES = 24;
/** How long a claim lasts; the transport's own deadline keeps a try shorter. */
const LEASE_MS = 120_000;
/** How long an idempotency key is kept. */
const KEY_TTL_MS = 30 * DAY_MS;

/**
 * Templates that the requester rate-limits: these mails contain a link, and some replace an older link. So the requester takes
 * from the limit before it creates the link, or limits the change that the mail reports; a link to undo a change is never left
 * out. All other templates are limited when they are sent.
 */
const LIMITED_BY_REQUESTER: ReadonlySet<MailTemplate> = new Set([
  "verify_address",
  "confirm_new_address",
  "reset_password",
  "address_changed",
  "two_factor_enabled",
]);

/** The sealing context of a mail: its sealed part can be unsealed only in that mail. */
export const mailContext = (id: string) => `mail:${id}`;

export type MailSettings = {
  /** Null: mails wait for a worker that has a transport. */
  transport: MailTransport | null;
  /** The base URL of links, without a trailing slash. */
  linksUrl: string;
};

export type MailRequest<Template extends MailTemplate = MailTemplate> = {
  /** The cause's idempotency key, the same in each repetition. It is logged, so it contains no secrets or addresses. */
  key: string;
  template: Template;
  to: string;
  userId: string | null;
  data: MailData[Template];
  /** Defaults to no limit but MAX_TRIES. */
  usefulUntil?: Date;
};

type Seal = { seal(plain: string, context: string): string };

/** The part that requests mails; sending has more dependencies. */
export function createMailRequests(deps: { mongo: Mongo; clock: Clock; sealing: Seal }) {
  const { clock, sealing } = deps;
  const mails = mailsIn(deps.mongo.db);
  return {
    /** Requests a mail, in the transaction of its cause if there is one. Idempotent by `key`. */
    async request<Template extends MailTemplate>(
      { key, template, to, userId, data, usefulUntil }: MailRequest<Template>,
      session?: ClientSession,
    ): Promise<void> {
      const now = clock.now();
      const doc: MailDoc = {
        _id: key,
        template,
        userId,
        sealed: sealing.seal(JSON.stringify({ to, data }), mailContext(key)),
        state: "waiting",
        tries: 0,
        createdAt: new Date(now),
        dueAt: new Date(now),
        usefulUntil: usefulUntil ?? null,
        expiresAt: new Date(now + KEY_TTL_MS),
      };
      await mails.insertOnce(doc, session);
    },
  };
}

export type Mails = ReturnType<typeof createMails>;

export function createMails({
  mongo,
  redis,
  clock,
  log,
  sealing,
  countingKey,
  settings: { transport, linksUrl },
  meter,
}: {
  mongo: Mongo;
  redis: RedisConnection;
  clock: Clock;
  log: Log;
  sealing: { seal(plain: string, context: string): string; unseal(value: string, context: string): string };
  /** The HMAC key under which recipients are counted. */
  countingKey: Buffer;
  settings: MailSettings;
  meter: Meter;
}) {
  const mails = mailsIn(mongo.db);
  const takeOne = createRecipientLimit(redis, countingKey);
  const slots = createSendSlots({ inAll: CONCURRENCY, ofOne: CONCURRENCY_PER_DOMAIN });
  const { mails: count } = meter.record(MAIL_METRICS);
  const outage = createOutageLog(log, "mail server");

  async function end(doc: MailDoc, how: MailEnd): Promise<void> {
    await mails.end(doc._id, how);
    count(1, { template: doc.template, outcome: how });
  }

  async function giveUp(doc: MailDoc, err: unknown): Promise<void> {
    const about = { err, mail: doc._id, template: doc.template, tries: doc.tries };
    log.error(about, "a mail was given up");
    await end(doc, "given_up");
  }

  async function failed(doc: MailDoc, err: unknown): Promise<void> {
    const now = clock.now();
    const next = now + pauseAfter(doc.tries - 1);
    const isOver = doc.tries >= MAX_TRIES || (doc.usefulUntil?.getTime() ?? Number.POSITIVE_INFINITY) <= next;
    if (isOver || err instanceof MailRefused) return giveUp(doc, err);
    const about = { mail: doc._id, template: doc.template, tries: doc.tries };
    if (err instanceof MailServerUnavailable) outage.failed(err, about);
    else log.warn({ err, ...about }, "a mail wasn't sent yet");
    count(1, { template: doc.template, outcome: "failed" });
    await mails.later(doc._id, new Date(next));
  }

  /** Throws when the row can't be read: it was sealed under another key, or by another release. */
  function read(doc: MailDoc): { to: string; render: () => ReturnType<typeof renderMail> } {
    const { template } = doc;
    if (!isTemplate(template)) throw new Error("nobody knows the template of a mail");
    // Sealed by `request`, whose types make sure that template and data match.
    const { to, data } = JSON.parse(sealing.unseal(doc.sealed ?? "", mailContext(doc._id)));
    return { to: String(to), render: () => renderMail(template, data, linksUrl) };
  }

  /** The recipient's domain; "" for a row that can't be read, which its own try reports. */
  function domainOf(doc: MailDoc): string {
    try {
      const { to } = read(doc);
      return to.slice(to.lastIndexOf("@") + 1).toLowerCase();
    } catch {
      return "";
    }
  }

  /**
   * Due mails that can be sent now. Postpones mails to slow domains, so that even many of them don't starve others, and mails
   * for a newer release.
   */
  async function dueNow(): Promise<{ id: string; domain: string }[]> {
    const now = clock.now();
    const found = await mails.due(new Date(now), BATCH_SIZE);
    const newer = found.filter(({ template }) => !isTemplate(template));
    const known = found.filter(({ template }) => isTemplate(template));
    const due = known.map((doc) => ({ id: doc._id, domain: domainOf(doc) }));
    const slow = slots.full();
    const postponed = due.filter(({ domain }) => slow.has(domain)).map(({ id }) => id);
    const postpone = (ids: string[], ms: number) =>
      ids.length > 0 && mails.standBack(ids, new Date(now), new Date(now + ms));
    await postpone(postponed, SLOW_DOMAIN_DELAY_MS);
    await postpone(
      newer.map(({ _id }) => _id),
      UNKNOWN_TEMPLATE_DELAY_MS,
    );
    const [one] = newer;
    if (one)
      log.warn(
        { template: one.template },
        "mails of a template that this release doesn't know wait for one that does",
      );
    return due.filter(({ domain }) => !slow.has(domain));
  }

  /** Returns false when the server is unavailable. */
  async function send(id: string, by: MailTransport): Promise<boolean> {
    const now = clock.now();
    const doc = await mails.claim(id, new Date(now), new Date(now + LEASE_MS));
    if (!doc) return true;
    let mail: ReturnType<typeof read>;
    try {
      if (doc.usefulUntil && doc.usefulUntil.getTime() <= now)
        throw new Error("a mail is of no use any more");
      mail = read(doc);
    } catch (err) {
      await giveUp(doc, err);
      return true;
    }
    if (doc.tries === 1 && isTemplate(doc.template) && !LIMITED_BY_REQUESTER.has(doc.template)) {
      if (!(await takeOne(doc.template, mail.to))) {
        log.warn(
          { mail: doc._id, template: doc.template },
          "a mail was left out: its recipient had enough of its kind",
        );
        await end(doc, "limited");
        return true;
      }
    }
    try {
      await by.send({
        ...mail.render(),
        to: mail.to,
        messageId: messageIdOf(doc._id, by.senderHost),
        date: doc.createdAt,
      });
    } catch (err) {
      await failed(doc, err);
      return !(err instanceof MailServerUnavailable);
    }
    outage.succeeded();
    await end(doc, "sent");
    return true;
  }

  async function sweepOnce(isSure: () => boolean): Promise<void> {
    if (!transport || slots.free() === 0) return;
    const due = await dueNow();
    const endsAt = performance.now() + SWEEP_MS;
    async function sendLoop(by: MailTransport): Promise<void> {
      while (isSure() && performance.now() < endsAt) {
        const at = due.findIndex(({ domain }) => slots.mayTake(domain));
        const next = at < 0 ? undefined : due.splice(at, 1)[0];
        // A loop that finds the server unavailable ends; when all of them have ended, the rest is left to the next sweep.
        if (!next || !(await slots.hold(next.domain, () => send(next.id, by)))) return;
      }
    }
    const failed = (err: unknown) => log.warn({ err }, "a mail's try wasn't finished; it is tried again");
    const loops = Array.from({ length: slots.free() }, () => sendLoop(transport).catch(failed));
    await settledWithin(loops, SWEEP_MS);
  }

  let sweeping: Promise<void> | null = null;

  return {
    ...createMailRequests({ mongo, clock, sealing }),

    /** For requesters that rate-limit: takes one mail from the limit (`recipient-limit.ts`); false when none is left. */
    takeOne,

    /**
     * Sends due mails concurrently, first tries before retries. Slow tries occupy only their own slots, even after the sweep has
     * ended. Ends early when `isSure` returns false (another worker may be sweeping), or when the server is unavailable. Single
     * flight in a process: two sweeps at once would take each other for slow ones, and postpone mails.
     */
    sweep(isSure: () => boolean = () => true): Promise<void> {
      sweeping ??= sweepOnce(isSure).finally(() => {
        sweeping = null;
      });
      return sweeping;
    },

    async stop(): Promise<void> {
      transport?.close();
      await slots.idle();
    },
  };
}

const isTemplate = (name: string): name is MailTemplate => Object.hasOwn(MAIL_TEXTS, name);

const messageIdOf = (key: string, host: string): string =>
  `<${createHash("sha256").update(key).digest("hex").slice(0, 40)}@${host}>`;
