/**
 * Schemas that are named differently in the interface's core (docs/interface.md#2-resources): some are a resource with
 * additional fields.
 */
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

/** An endpoint's name in observations: names of path parameters aren't part of the interface. */
export function endpointOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "{}")}`;
}
