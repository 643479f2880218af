/** Schemas whose names in the documents aren't those of the given interface: some are a resource with more in it. */
const RESOURCES: Record<string, string> = {
  OwnerStream: "Stream",
  StaffUser: "User",
  CreatedAPIToken: "APIToken",
  Error: "ErrorEnvelope",
};

/** The resource of the interface that a schema stands for. */
export function resourceOf(schema: string): string {
  return isPage(schema) ? "PaginationMeta" : (RESOURCES[schema] ?? schema);
}

export const isPage = (schema: string): boolean => schema.startsWith("Paginated");

/** How an endpoint is called in observations: names of path parameters are nobody's promise. */
export function endpointOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "{}")}`;
}
