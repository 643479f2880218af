import { readAsyncApi } from "../../../contract/asyncapi-document.ts";
import { isOfSchema, problemsInDetails } from "./check.ts";
import { reportFault } from "./faults.ts";

/** The socket addresses, with the codes that may refuse an upgrade there. */
const refusals = Object.values(readAsyncApi().channels).map(({ address, "x-refusals": codes }) => ({
  pattern: new RegExp(`^${address.replace("{stream_id}", "[^/]+")}$`),
  codes,
}));

/** Validates the response to a refused upgrade against the contract; paths that aren't in it are ignored. */
export function checkRefusal(url: string, body: unknown): void {
  const path = new URL(url.replace(/^ws\+unix:.*:\//, "ws://local/")).pathname;
  const channel = refusals.find(({ pattern }) => pattern.test(path));
  if (!channel) return;
  const { code, details } = Object(body);
  const isKnown = isOfSchema("Error", body) && channel.codes.some((known) => known === code);
  if (isKnown && problemsInDetails({ code, details }).length === 0) return;
  reportFault(`an upgrade at ${path} was refused with ${JSON.stringify(body)}`);
}
