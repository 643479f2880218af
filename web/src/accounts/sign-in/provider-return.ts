import { serviceUrl } from "../../site/page-data.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";

/** Which provider the browser went to, and where it goes on from the sign-in. */
type Departure = { provider: string; next: string | undefined };

/** For an appeal against a ban. Its fields are absent for bans that can't be appealed against. */
export type BanDetails = { appealToken?: string; subjectId?: string; reason?: string };

/** What a provider's sign-in came to, where it isn't done. */
type ProviderResult =
  | { kind: "code"; token: string }
  | { kind: "complete"; provider: string; token: string; needsEmail: boolean }
  | { kind: "banned"; ban: BanDetails }
  | { kind: "refused"; code: string };

const KEY = "livecore-provider";

/** The address that leads to the provider. */
export const providerAddress = (provider: string): string =>
  client.address("startOauth", { path: { provider }, query: { return_to: `${serviceUrl}/sign-in` } });

/** Before the browser leaves for a provider: its way back has only what the service puts there. */
export function rememberDeparture(departure: Departure): void {
  sessionStorage.setItem(KEY, JSON.stringify(departure));
}

/** Where the browser left to in this tab; null if it didn't. */
export function lastDeparture(): Departure | null {
  const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  if (typeof stored !== "object" || stored === null || !("provider" in stored)) return null;
  const next = "next" in stored && typeof stored.next === "string" ? stored.next : undefined;
  return { provider: String(stored.provider), next };
}

export const forgetDeparture = (): void => sessionStorage.removeItem(KEY);

/** Takes the result out of the address's fragment, so that it is in no history; null where there is none. */
export function takeProviderResult(): ProviderResult | null {
  const params = new URLSearchParams(location.hash.slice(1));
  const code = params.get("error");
  const token = params.get("two_factor_token");
  if (code === null && token === null) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  if (token !== null) return { kind: "code", token };
  const provider = lastDeparture()?.provider;
  const completion = params.get("completion_token");
  if (code === "username_required" && completion !== null && provider !== undefined) {
    const needsEmail = params.get("email") === "required";
    return { kind: "complete", provider, token: completion, needsEmail };
  }
  if (code !== "account_banned") return { kind: "refused", code: code ?? "" };
  const { reason, ...ban } = banIn(Object.fromEntries(params));
  // Anybody can write a link: words count as the staff's only after this tab has left for a provider.
  const isOwnReturn = provider !== undefined && reason !== undefined;
  return { kind: "banned", ban: isOwnReturn ? { ...ban, reason } : ban };
}

/** What connecting a provider came to; taken out of the address as well. Null where there is nothing. */
export function takeLinkResult(): { kind: "linked" } | { kind: "refused"; code: string } | null {
  const params = new URLSearchParams(location.hash.slice(1));
  const code = params.get("error");
  if (code === null && !params.has("linked")) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  return code === null ? { kind: "linked" } : { kind: "refused", code };
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
