/**
 * Mails, from their cause to the SMTP server:
 * 1. What causes a mail asks for it by a key of its own, in its transaction: both are committed or neither.
 * 2. A sweep of the jobs workers claims each row for one try, renders and sends it; a failure is tried again after a growing
 *    pause, until the mail is of no use or was tried too often: then it is given up, and alerts.
 * 3. Once it has ended its recipient and data are gone from the row; the key stays, so that the cause can't send it twice.
 * A worker that dies between the server's yes and the row's end sends it again: at least once, with the same Message-ID.
 */
import { createHash } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { Clock } from "../../store/clock.ts";
import { growingPause } from "../../store/growing-pause.ts";
import type { Log } from "../../store/log.ts";
import type { Meter } from "../../store/metrics.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type MailDoc, type MailEnd, mailsIn } from "../../store/mongo/mails.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { MAIL_METRICS } from "./metrics.ts";
import { createPlaces, endOf } from "./places.ts";
import { createRecipientLimit } from "./recipient-limit.ts";
import { renderMail } from "./rendering.ts";
import { MAIL_TEXTS, type MailData, type MailTemplate } from "./texts.ts";
import { MailRefused, MailServerAway, type MailTransport } from "./transport.ts";

/** Of one sweep; more are left to the next. */
const BATCH = 100;
const AT_ONCE = 5;
/** Of these to one domain. */
const AT_ONCE_A_DOMAIN = 2;
/** After it a sweep leaves what it has under way alone, and the next one looks for what has come meanwhile. */
const SWEEP_MS = 3_000;
/** How long others of a domain stand back whose places are all taken by what an earlier sweep began. */
const STAND_BACK_MS = 5_000;
/** How long mails do of templates that only a newer release knows. */
const NEWER_MS = 60_000;
const pauseAfter = growingPause(5_000, 3_600_000);
/** About 15 hours. */
export const MAX_TRIES = 24;
/** Longer than a try can take, by the transport's own deadline. */
const TRY_MS = 120_000;
/** How long a key is known. */
const KEPT_MS = 30 * 86_400_000;

/**
 * These have a link, and some end an older one by it, so whoever asks counts before making it, or counts what they tell of: a way
 * back is never left out. All else is counted when it is sent.
 */
const COUNTED_BY_ASKER: ReadonlySet<MailTemplate> = new Set([
  "verify_address",
  "confirm_new_address",
  "reset_password",
  "address_changed",
  "two_factor_enabled",
]);

/** Where the sealed part of that mail may be opened. */
export const mailContext = (id: string) => `mail:${id}`;

export type MailSettings = {
  /** Null: mails wait for a worker that has one. */
  transport: MailTransport | null;
  /** Where links lead to, without a slash at its end. */
  linksUrl: string;
};

export type MailRequest<Template extends MailTemplate = MailTemplate> = {
  /** Of the cause, the same whenever it is repeated; without secrets or addresses, since it is logged. */
  key: string;
  template: Template;
  to: string;
  userId: string | null;
  data: MailData[Template];
  /** Left out: as long as it is tried. */
  usefulUntil?: Date;
};

type Seal = { seal(plain: string, context: string): string };

/** What asks for mails; sending takes more. */
export function createMailRequests(deps: { mongo: Mongo; clock: Clock; sealing: Seal }) {
  const { clock, sealing } = deps;
  const mails = mailsIn(deps.mongo.db);
  return {
    /** Asks for a mail. In the transaction of its cause, where there is one. The same key again is the same mail. */
    async request<Template extends MailTemplate>(
      { key, template, to, userId, data, usefulUntil }: MailRequest<Template>,
      session?: ClientSession,
    ): Promise<void> {
      const now = clock.now();
      const doc: MailDoc = {
        _id: key,
        ...{ template, userId },
        sealed: sealing.seal(JSON.stringify({ to, data }), mailContext(key)),
        ...{ state: "waiting", tries: 0 },
        ...{ createdAt: new Date(now), dueAt: new Date(now), usefulUntil: usefulUntil ?? null },
        expiresAt: new Date(now + KEPT_MS),
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
  /** Under which recipients are counted. */
  countingKey: Buffer;
  settings: MailSettings;
  meter: Meter;
}) {
  const mails = mailsIn(mongo.db);
  const takeOne = createRecipientLimit(redis, countingKey);
  const places = createPlaces({ inAll: AT_ONCE, ofOne: AT_ONCE_A_DOMAIN });
  const { mails: count } = meter.record(MAIL_METRICS);

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
    log.warn({ err, mail: doc._id, template: doc.template, tries: doc.tries }, "a mail wasn't sent yet");
    count(1, { template: doc.template, outcome: "failed" });
    await mails.later(doc._id, new Date(next));
  }

  /** Throws what is wrong with a row that can't be read: it was sealed under another key, or by another release. */
  function read(doc: MailDoc): { to: string; render: () => ReturnType<typeof renderMail> } {
    const { template } = doc;
    if (!isTemplate(template)) throw new Error("nobody knows the template of a mail");
    // Sealed by `request`, which takes what belongs together.
    const { to, data } = JSON.parse(sealing.unseal(doc.sealed ?? "", mailContext(doc._id)));
    return { to: String(to), render: () => renderMail(template, data, linksUrl) };
  }

  /** None for a row that can't be read, which its own try finds out. */
  function domainOf(doc: MailDoc): string {
    try {
      const { to } = read(doc);
      return to.slice(to.lastIndexOf("@") + 1).toLowerCase();
    } catch {
      return "";
    }
  }

  /** Those of slow domains stand back, so that however many they are, others come to their turn; and those for a newer release. */
  async function dueNow(): Promise<{ id: string; domain: string }[]> {
    const now = clock.now();
    const found = await mails.due(new Date(now), BATCH);
    const newer = found.filter(({ template }) => !isTemplate(template));
    const known = found.filter(({ template }) => isTemplate(template));
    const due = known.map((doc) => ({ id: doc._id, domain: domainOf(doc) }));
    const slow = places.full();
    const back = due.filter(({ domain }) => slow.has(domain)).map(({ id }) => id);
    const standBack = (ids: string[], ms: number) =>
      ids.length > 0 && mails.standBack(ids, new Date(now), new Date(now + ms));
    await standBack(back, STAND_BACK_MS);
    await standBack(
      newer.map(({ _id }) => _id),
      NEWER_MS,
    );
    const [one] = newer;
    if (one)
      log.warn(
        { template: one.template },
        "mails of a template that this release doesn't know wait for one that does",
      );
    return due.filter(({ domain }) => !slow.has(domain));
  }

  /** False when the server is away. */
  async function send(id: string, by: MailTransport): Promise<boolean> {
    const now = clock.now();
    const doc = await mails.claim(id, new Date(now), new Date(now + TRY_MS));
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
    if (doc.tries === 1 && isTemplate(doc.template) && !COUNTED_BY_ASKER.has(doc.template)) {
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
      return !(err instanceof MailServerAway);
    }
    await end(doc, "sent");
    return true;
  }

  return {
    ...createMailRequests({ mongo, clock, sealing }),

    /** Takes one of those that an address may get of a template (`recipient-limit.ts`); false when none is left. For mails whose asker counts. */
    takeOne,

    /**
     * Sends what is due, some at a time and first tries before repeats; those that are slow keep their own places alone, also
     * when it has ended. Ends early when it isn't `isSure` of being the only one, or the server is away.
     */
    async sweep(isSure: () => boolean = () => true): Promise<void> {
      if (!transport || places.free() === 0) return;
      const due = await dueNow();
      const endsAt = performance.now() + SWEEP_MS;
      async function sendInTurn(by: MailTransport): Promise<void> {
        while (isSure() && performance.now() < endsAt) {
          const at = due.findIndex(({ domain }) => places.mayTake(domain));
          const next = at < 0 ? undefined : due.splice(at, 1)[0];
          // Who finds the server away leaves the rest to the others; when all do, to the next sweep.
          if (!next || !(await places.hold(next.domain, () => send(next.id, by)))) return;
        }
      }
      const failed = (err: unknown) => log.warn({ err }, "a mail's try wasn't finished; it is tried again");
      const turns = Array.from({ length: places.free() }, () => sendInTurn(transport).catch(failed));
      await endOf(turns, SWEEP_MS);
    },

    async stop(): Promise<void> {
      transport?.close();
      await places.idle();
    },
  };
}

const isTemplate = (name: string): name is MailTemplate => Object.hasOwn(MAIL_TEXTS, name);

const messageIdOf = (key: string, host: string): string =>
  `<${createHash("sha256").update(key).digest("hex").slice(0, 40)}@${host}>`;
