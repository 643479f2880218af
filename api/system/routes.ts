import type { OpenApiDocument } from "../../specs/contract/openapi-document.ts";
import type { Operations, Wire } from "../http/bind.ts";

export type SystemRouteDeps = {
  document: OpenApiDocument;
  identity: { jwks(): Wire["JsonWebKeySet"] };
};

export function systemRoutes({ bind }: Operations, { document, identity }: SystemRouteDeps): void {
  bind("getHealth", () => ({ status: "ok" }));
  bind("getOpenApi", () => ({ ...document }));
  bind("getJwks", () => identity.jwks());
}
