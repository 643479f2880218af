import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import helmet from "helmet";

/**
 * The headers that helmet sets on an answer of the API. They are the same for all answers, so they are computed once;
 * helmet computes them for every answer.
 */
export function securityHeaders(): readonly (readonly [name: string, value: string])[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const protect = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } },
  });
  protect(request, response, (err) => {
    if (err) throw err;
  });
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)] as const);
}
