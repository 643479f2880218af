import type { IncomingMessage, ServerResponse } from "node:http";

const EXPOSED = [
  "Allow",
  "Retry-After",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "RateLimit-Policy",
  "X-Request-Id",
  "Deprecation",
  "Sunset",
  "Link",
].join(", ");
const ALLOWED_HEADERS = [
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "X-API-Key",
  "X-Auth-Mode",
  "X-Request-Id",
  "X-Service-Client",
].join(", ");
const PREFLIGHT_SECONDS = 600;

/** Lets the front ends of an exact list read answers and send cookies; an origin is never just echoed. */
export function cors(allowedOrigins: readonly string[]): (req: IncomingMessage, res: ServerResponse) => void {
  const allowed = new Set(allowedOrigins);
  return (req, res) => {
    res.setHeader("Vary", "Origin");
    const { origin } = req.headers;
    if (origin !== undefined && allowed.has(origin)) {
      res.setHeader("Access-Control-Allow-Origin", origin);
      res.setHeader("Access-Control-Allow-Credentials", "true");
      res.setHeader("Access-Control-Expose-Headers", EXPOSED);
      if (req.method === "OPTIONS") {
        res.setHeader("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE");
        res.setHeader("Access-Control-Allow-Headers", ALLOWED_HEADERS);
        res.setHeader("Access-Control-Max-Age", PREFLIGHT_SECONDS);
      }
    }
  };
}
