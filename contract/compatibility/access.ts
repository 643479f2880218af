import { isObject, type JsonObject } from "../json.ts";
import { isScope, type Scope, SPLIT_FROM } from "../scopes.ts";

/** Roles in a channel; fewer users have the later ones. */
const ROLES = [undefined, "moderator", "owner"];

/** Lists who could call an operation before and can't any more, or needs more for it. */
export function raisedAccess(old: JsonObject, next: JsonObject): string[] {
  const [had, has] = [credentialsOf(old), credentialsOf(next)];
  // Where credentials aren't checked, bad ones do no harm.
  const lost = has.length === 0 ? [] : (had.length === 0 ? [{}] : had).filter((one) => !isTaken(one, has));
  return [
    ...lost.map((one) => `isn't open to ${nameOf(one)} any more`),
    ...raisedRules(accessOf(old), accessOf(next)),
  ];
}

function raisedRules(had: JsonObject, has: JsonObject): string[] {
  const raised: string[] = [];
  if (has.who === "staff" && had.who !== "staff") raised.push("is for staff alone now");
  if (ROLES.indexOf(roleOf(has)) > ROLES.indexOf(roleOf(had)))
    raised.push(`is for the channel's ${String(has.channel)} now`);
  const others = othersIn(has);
  for (const other of othersIn(had)) if (!others.includes(other)) raised.push(`isn't for ${other} any more`);
  for (const rule of ["token_only", "client_header"])
    if (has[rule] === true && had[rule] !== true) raised.push(`has the rule ${rule} now`);
  const proof = proofIn(had);
  for (const field of proofIn(has))
    if (!proof.includes("everything") && !proof.includes(field))
      raised.push(`asks for a step-up for ${field}`);
  return raised;
}

const accessOf = (operation: JsonObject): JsonObject =>
  isObject(operation["x-access"]) ? operation["x-access"] : {};
const roleOf = ({ channel }: JsonObject) => (typeof channel === "string" ? channel : undefined);
const othersIn = ({ or }: JsonObject): string[] => (typeof or === "string" ? or.split("_or_") : []);

function proofIn({ step_up }: JsonObject): string[] {
  if (step_up === true) return ["everything"];
  return Array.isArray(step_up) ? step_up.map(String) : [];
}

/** One way to authenticate: schemes with their scopes, all of them together; empty for anonymous callers. */
type Credential = JsonObject;

const credentialsOf = ({ security }: JsonObject): Credential[] =>
  Array.isArray(security) ? security.filter(isObject) : [];

/** A caller with credentials is checked by them, even where anonymous callers are allowed. */
const isTaken = (one: Credential, by: readonly Credential[]): boolean =>
  by.some((required) => Object.keys(required).length === Object.keys(one).length && isEnough(one, required));

const isEnough = (has: Credential, required: Credential): boolean =>
  Object.entries(required).every(([scheme, scopes]) => {
    const own = has[scheme];
    if (!Array.isArray(own) || !Array.isArray(scopes)) return false;
    return scopes.every((scope) => own.includes(scope) || own.includes(splitFrom(scope)));
  });

/** Tokens of before were given both parts of a scope that was split. */
const splitFrom = (scope: unknown): Scope | undefined => (isScope(scope) ? SPLIT_FROM[scope] : undefined);

function nameOf(credential: Credential): string {
  const schemes = Object.entries(credential).map(([scheme, scopes]) =>
    Array.isArray(scopes) && scopes.length > 0 ? `${scheme} with ${scopes.join(", ")}` : scheme,
  );
  return schemes.join(" and ") || "anybody";
}
