import type { IncomingMessage, RequestListener } from "node:http";
import express, { type Request, type RequestHandler, type Response, type Router } from "express";
import type { TwoFactor } from "../../actors/accounts/two-factor/two-factor.ts";
import type { Audit } from "../../base/audit.ts";
import type { Log } from "../../base/log.ts";
import { invalid, noSuchPath, ServiceError } from "../../contract/errors.ts";
import { fieldNamesIn } from "../../contract/field-names.ts";
import {
  type DocumentedOperation,
  type OpenApiDocument,
  operationsOf,
  readOpenApi,
} from "../../contract/openapi-document.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { AdmitPages } from "./admit-pages.ts";
import { createAnonymousAnswers, type ReadAnonymously } from "./anonymous-answers.ts";
import type { CachedRead } from "./anonymous-reads.ts";
import { type AuthenticateDeps, createAuthenticate } from "./authenticate.ts";
import { createOperations, type Operations } from "./bind.ts";
import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import { type Answered, contextOf, requestContext } from "./context.ts";
import { cors } from "./cors.ts";
import { docsPage } from "./docs.ts";
import { countRefusal, createAnswerError, type RestRefusal } from "./error-response.ts";
import { filesPage, type ReadFile } from "./files-page.ts";
import { iconFiles } from "./icons.ts";
import { createLimits, type Limits, setRateLimitHeaders } from "./limits.ts";
import type { ListCursors } from "./list-cursors.ts";
import type { PageSite } from "./page-layout.ts";
import { type PreparedMessages, prepareMessages } from "./prepared-messages.ts";
import { throwIfRefused } from "./refused-upgrade.ts";
import { createRequestSlots, type RequestSlots } from "./request-slots.ts";
import { normalizeTarget, requireTarget } from "./request-target.ts";
import { createRouters } from "./routers.ts";
import { securityHeaders } from "./security-headers.ts";
import { serveOperation } from "./serve.ts";
import type { Signatures } from "./signatures.ts";
import { createValidation } from "./validate.ts";

export type AppDeps = AuthenticateDeps & {
  twoFactor: Pick<TwoFactor, "requireFresh">;
  redis: RedisConnection;
  log: Log;
  audit: Audit;
  /** The cursors of an operation's list. */
  cursorsOf: (operationId: string) => ListCursors;
  /** Without it every signed request is refused. */
  signatures?: Signatures;
  allowedOrigins: readonly string[];
  /** Whether cookies may omit `Secure` over plain http on this machine's own names; false by default. */
  plainCookiesHere?: boolean;
  /** COOKIE_DOMAIN; none by default. */
  cookieDomain?: string | null;
  /** See `clientAddressBehind`. */
  clientAddress: (request: IncomingMessage) => string;
  rateLimitFactor: number;
  /** Only in specs: an answer that the document doesn't describe becomes a 500 that says so. */
  checkResponses?: boolean;
  /** Another document than the service's; only in specs. */
  document?: OpenApiDocument;
  /** How long a body may take to arrive; 30 s except in specs. */
  bodyDeadlineMs?: number;
  /** Reads uploaded pictures; without it none are served. */
  readFile?: ReadFile;
  /** Pages for people, search engines and other sites; without it there are none. */
  pages?: (admit: AdmitPages, read: ReadAnonymously) => (RequestHandler | Router)[];
  /** PUBLIC_URL; pages link to each other below its path. Default: there is none. */
  publicUrl?: string;
  /** What static pages call the service; default: livecore, without a logo. */
  instance?: Pick<PageSite, "name" | "logo">;
  /** The folder of the guides; without it there are none. */
  guides?: string;
  /** Default: as many as API_CONCURRENCY's default. */
  slots?: RequestSlots;
  /** Called with every answer, for metrics. */
  onAnswered?: (answered: Answered) => void;
  /** Called with every lookup in the cache of answers, for metrics. */
  onCachedRead?: (read: CachedRead) => void;
  /** Monotonic, ms, by which cached answers expire; specs control it. */
  now?: () => number;
  /** Called with every error that was answered, for metrics. */
  onRefused?: (refused: RestRefusal) => void;
};

const refuseSignature = (): void => {
  throw new ServiceError("signature_invalid");
};
const NO_SIGNATURES: Signatures = { standard: refuseSignature, stripe: refuseSignature };

const UNNAMED = { name: "livecore", logo: null };
const BODY_DEADLINE_MS = 30_000;

const derivedFrom = (document: OpenApiDocument) => ({
  validation: createValidation(document),
  names: fieldNamesIn(document),
});
/** All apps of a process share the compiled checks, since compiling is expensive. */
const ownDocument = readOpenApi();
const own = derivedFrom(ownDocument);

/**
 * The HTTP side without its routes: each area binds handlers to operations by `operations.bind`, then
 * `operations.complete()` makes sure that none is missing.
 */
export function createApp(deps: AppDeps): {
  answer: RequestListener;
  operations: Operations;
  messages: PreparedMessages;
  /** All paths that are routed, as they are written, for the names that nobody may take. */
  paths: readonly string[];
} {
  const { document = ownDocument } = deps;
  const { validation, names } = document === ownDocument ? own : derivedFrom(document);
  const { operations, boundTo } = createOperations(document, deps.cursorsOf);
  const slots = deps.slots ?? createRequestSlots({ log: deps.log });
  const limits = createLimits({ redis: deps.redis, factor: deps.rateLimitFactor, log: deps.log });
  const serving = {
    document,
    validation,
    authenticate: createAuthenticate(deps),
    requireFresh: deps.twoFactor.requireFresh,
    limits,
    slots,
    signatures: deps.signatures ?? NO_SIGNATURES,
    boundTo,
    plainCookiesHere: deps.plainCookiesHere ?? false,
    cookieDomain: deps.cookieDomain ?? null,
    checkResponses: deps.checkResponses ?? false,
    bodyDeadlineMs: deps.bodyDeadlineMs ?? BODY_DEADLINE_MS,
    now: deps.now ?? (() => performance.now()),
    onCachedRead: deps.onCachedRead ?? (() => undefined),
    onRefused: deps.onRefused ?? (() => undefined),
  };

  const app = express();
  const messages = prepareMessages(app);
  app.disable("x-powered-by");
  // A 304 would be neither 2xx nor the envelope.
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", false);
  const { log, audit, clientAddress, onAnswered = () => undefined, onRefused = () => undefined } = deps;
  const beginContext = requestContext({
    log,
    clientAddress,
    onAnswered,
    isDocumented: (name) => names.has(name),
  });
  const allowOrigin = cors(deps.allowedOrigins);
  const headers = securityHeaders();
  // One layer for everything: each layer of Express's stack costs more than the work here.
  app.use((req, res, next) => {
    beginContext(req, res);
    for (const [name, value] of headers) res.setHeader(name, value);
    allowOrigin(req, res);
    requireHost(req);
    requireTarget(req);
    throwIfRefused(req);
    next();
  });
  const serve = (operation: DocumentedOperation) => serveOperation(operation, serving);
  app.use(...createRouters(operationsOf(document), { serve, limits }));
  // These pages aren't operations of the contract, and are large.
  const { count, page } = pageAdmission(limits, slots.ofPages);
  const { publicUrl = "http://localhost" } = deps;
  const site = { ...UNNAMED, ...deps.instance, publicUrl };
  const mounted: Mounted[] = [
    ["/docs", count("docs"), docsPage({ site, document, guides: deps.guides })],
    ...(deps.readFile ? [["/files", count("files"), filesPage(deps.readFile)] satisfies Mounted] : []),
  ];
  for (const [path, ...handlers] of mounted) app.use(path, ...handlers);
  const media = count("files");
  const read = createAnonymousAnswers(document, serving);
  const pages = deps.pages?.({ page, file: count("bulk_reads"), media }, read) ?? [];
  const routers = [iconFiles({ media }), ...pages];
  for (const router of routers) app.use(router);
  app.use(() => {
    throw noSuchPath();
  });
  app.use(countRefusal(limits));
  app.use(createAnswerError({ audit, onRefused, site }));
  const answer: RequestListener = (req, res) => {
    normalizeTarget(req);
    app(req, res);
  };
  const paths = [
    ...operationsOf(document).map((documented) => documented.path),
    ...mounted.map(([path]) => path),
    ...routers.flatMap(pathsIn),
  ];
  return { answer, operations, messages, paths };
}

type Mounted = [path: string, ...handlers: RequestHandler[]];

const pathsIn = (router: RequestHandler | Router): string[] =>
  "stack" in router
    ? router.stack.flatMap(({ route }) => (typeof route?.path === "string" ? [route.path] : []))
    : [];

/** HTTP/1.1 requires the header, and URLs that we give out may be built from it. */
function requireHost({ headers, rawHeaders }: Request): void {
  if (!headers.host) throw invalid({ path: "/header/host", rule: "required", message: "is missing" });
  // Node takes the first of two; a proxy before it may have gone by the second.
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length > 1) throw invalid({ path: "/header/host", rule: "unique", message: "is there twice" });
}

/**
 * Pages get and return their slots as operations do: it is free again as soon as `make` is through, with or without an error, and
 * whether or not anybody reads the answer. Node doesn't emit `close` for every response.
 */
function pageAdmission(limits: Limits, slots: ConcurrencyLimit) {
  async function inSlot(
    bucket: PageBucket,
    req: Request,
    res: Response,
    make?: () => unknown,
  ): Promise<void> {
    const slot = slots.slot(res);
    await slot.take();
    try {
      const allowance = await limits.byOperation(bucket, { kind: "anonymous" }, contextOf(req).address, "");
      setRateLimitHeaders(res, allowance);
      await make?.();
    } finally {
      slot.free();
    }
  }
  return {
    /** For what is long, or comes from elsewhere than the database: only counting it takes a slot. */
    count:
      (bucket: PageBucket): RequestHandler =>
      async (req, res, next) => {
        await inSlot(bucket, req, res);
        next();
      },
    page:
      <Params>(make: RequestHandler<Params>): RequestHandler<Params> =>
      async (req, res, next) => {
        await inSlot("pages", req as Request, res, () => make(req, res, next));
      },
  };
}

type PageBucket = "docs" | "files" | "pages" | "bulk_reads";
