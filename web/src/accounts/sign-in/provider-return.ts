import { publicAddress } from "../../site/page-data.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";

/** Which provider the browser went to, and where it goes on from the sign-in. */
export type Departure = { provider: string; next: string | undefined };
/** The pages from which browsers leave for providers, and to which they come back. */
type Page = "sign-in" | "connections";

/** For an appeal against a ban. Its fields are absent for bans that can't be appealed against. */
export type BanDetails = { appealToken?: string; subjectId?: string; reason?: string };

/** What a provider's sign-in came to, where it isn't done. */
type ProviderResult =
  | { kind: "code"; token: string }
  | { kind: "complete"; provider: string; token: string; needsEmail: boolean }
  | { kind: "banned"; ban: BanDetails }
  | { kind: "refused"; code: string };

const keyOf = (page: Page): string => `livecore-provider-${page}`;

/** The address that leads to the provider. */
export const providerAddress = (provider: string): string =>
  client.address("startOauth", { path: { provider }, query: { return_to: publicAddress("/sign-in") } });

/** Before the browser leaves for a provider: its way back has only what the service puts there. */
export function rememberDeparture(page: Page, departure: Departure): void {
  sessionStorage.setItem(keyOf(page), JSON.stringify(departure));
}

/**
 * Where the browser left to in this tab; null if it didn't. Anybody can write a link with a result in it, so what asks for something counts only after
 * a departure, and each departure for one return.
 */
export function takeDeparture(page: Page): Departure | null {
  const stored: unknown = JSON.parse(sessionStorage.getItem(keyOf(page)) ?? "null");
  sessionStorage.removeItem(keyOf(page));
  if (typeof stored !== "object" || stored === null || !("provider" in stored)) return null;
  const next = "next" in stored && typeof stored.next === "string" ? stored.next : undefined;
  return { provider: String(stored.provider), next };
}

/** Takes the result out of the address's fragment, so that it is in no history; null where there is none. */
export function takeProviderResult(departure: Departure | null): ProviderResult | null {
  const params = new URLSearchParams(location.hash.slice(1));
  const code = params.get("error");
  const token = params.get("two_factor_token");
  if (code === null && token === null) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  // What anybody may say: it is only one of our own texts.
  if (departure === null) return code === null ? null : { kind: "refused", code };
  if (token !== null) return { kind: "code", token };
  const completion = params.get("completion_token");
  if (code === "username_required" && completion !== null) {
    const needsEmail = params.get("email") === "required";
    return { kind: "complete", provider: departure.provider, token: completion, needsEmail };
  }
  if (code === "account_banned") return { kind: "banned", ban: banIn(Object.fromEntries(params)) };
  return { kind: "refused", code: code ?? "" };
}

/** What connecting a provider came to; taken out of the address as well. Null where there is nothing. */
export function takeLinkResult(): { kind: "linked" } | { kind: "refused"; code: string } | null {
  const params = new URLSearchParams(location.hash.slice(1));
  const code = params.get("error");
  const departure = takeDeparture("connections");
  if (code === null && !params.has("linked")) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  if (code !== null) return { kind: "refused", code };
  return departure === null ? null : { kind: "linked" };
}

/** Why a provider's sign-in or connection was refused, for the person who tried it. */
export function providerProblem(code: string): string {
  const { refusals } = TEXTS.accounts;
  const texts: Record<string, string> = refusals;
  return (Object.hasOwn(texts, code) ? texts[code] : undefined) ?? refusals.other;
}

/** From the details of a refusal with `account_banned`. */
export function banIn(details: Readonly<Record<string, unknown>>): BanDetails {
  const { appeal_token: token, subject_id: id, reason } = details;
  return {
    ...(typeof token === "string" ? { appealToken: token } : {}),
    ...(typeof id === "string" ? { subjectId: id } : {}),
    ...(typeof reason === "string" ? { reason } : {}),
  };
}
