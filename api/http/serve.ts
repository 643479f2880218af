import type { Request, RequestHandler, Response } from "express";
import { ServiceError } from "../../contract/errors.ts";
import type { DocumentedOperation } from "../../contract/openapi-document.ts";
import { documented, send } from "./answer.ts";
import { NO_SLOT } from "./concurrency-limit.ts";
import { beginExchange, type Exchange } from "./exchange.ts";
import { expiredRepeats } from "./repeated-cookies.ts";
import { isReply, RefusalWithCookies } from "./reply.ts";
import { type ServeDeps, type Served, servedOperation } from "./served.ts";
import { cookieLine } from "./set-cookie.ts";
import {
  authenticate,
  handle,
  limitCaller,
  limitOperation,
  readBody,
  requireStepUp,
  type Step,
  takeSlot,
  validate,
} from "./steps.ts";

/** Cheap checks that may refuse come first, so that a refused request costs little. */
const CHECKS: readonly Step[] = [
  takeSlot,
  authenticate,
  limitCaller,
  readBody,
  validate,
  requireStepUp,
  limitOperation,
];
/** An upload takes long to arrive, so it is counted before. */
const CHECKS_OF_UPLOADS: readonly Step[] = [
  takeSlot,
  authenticate,
  limitCaller,
  limitOperation,
  readBody,
  validate,
  requireStepUp,
];
const ANSWER: readonly Step[] = [handle, send];

type Params = Record<string, string>;
type Serve = (req: Request<Params>, res: Response) => Promise<void>;

/** Serves requests to one operation of the document: each passes through the steps above. */
export function serveOperation(operation: DocumentedOperation, deps: ServeDeps): RequestHandler<Params> {
  const served = servedOperation(operation, deps);
  const { limit, anonymous } = served;
  const isUpload = served.operation["x-body-bytes"] !== undefined;
  const checks = isUpload ? CHECKS_OF_UPLOADS : CHECKS;

  const serve: Serve = async (req, res) => {
    const slot = limit?.slot(res) ?? NO_SLOT;
    try {
      const exchange = beginExchange(served, { req, res, params: { ...req.params }, slot });
      // No cache on the way may store an answer unless the document says for how long: it may be meant for one caller, or
      // soon be out of date.
      res.setHeader("Cache-Control", "no-store");
      for (const [name, value] of served.announced) res.setHeader(name, value);
      anonymous?.vary(res);
      await run(checks, exchange, served);
      if (anonymous === null || !exchange.isShared) return await run(ANSWER, exchange, served);
      const { params: path, query } = exchange;
      const kept = await anonymous.read({ path, query }, () => keptAnswer(exchange, served));
      anonymous.send(res, served.firstSuccess, kept);
    } catch (err) {
      if (!(err instanceof RefusalWithCookies)) throw err;
      for (const cookie of err.cookies)
        res.appendHeader("Set-Cookie", cookieLine(cookie, served.isSecureFor(req)));
      throw err.refusal;
    } finally {
      slot.free();
    }
  };

  const { cookieDomain } = deps;
  return cookieDomain === null ? serve : expiringRepeatedCookies(serve, served, cookieDomain);
}

async function run(steps: readonly Step[], exchange: Exchange, served: Served): Promise<void> {
  for (const step of steps) {
    const waiting = step(exchange, served);
    if (waiting) await waiting;
  }
}

/** Makes an answer that others may share, in a slot that doesn't depend on who asked first. */
async function keptAnswer(exchange: Exchange, served: Served): Promise<unknown> {
  const slot = served.limit?.slot(null) ?? NO_SLOT;
  await slot.take();
  try {
    const own = { ...exchange, slot };
    await handle(own, served);
    if (isReply(own.answer))
      throw new Error("An operation with x-cache-seconds answered with more than a body");
    return documented(served, served.firstSuccess, own.answer);
  } finally {
    slot.free();
  }
}

/** Tells a browser to forget a session's cookies that it has twice (repeated-cookies.ts). */
function expiringRepeatedCookies(serve: Serve, { isSecureFor }: Served, cookieDomain: string): Serve {
  return async (req, res) => {
    try {
      await serve(req, res);
    } catch (err) {
      if (err instanceof ServiceError && err.code === "invalid_token" && !res.headersSent)
        for (const cookie of expiredRepeats(req, cookieDomain))
          res.appendHeader("Set-Cookie", cookieLine(cookie, isSecureFor(req)));
      throw err;
    }
  };
}
