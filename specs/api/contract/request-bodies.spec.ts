import { expect } from "chai";
import { isObject } from "../../../contract/json.ts";
import { type JsonSchema, operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";

const document = readOpenApi();

/** Objects that take names which the document doesn't have, with what keeps them in bounds. */
const OPEN: Record<string, string> = {
  ingestPublish: "an RTMP server's form: what isn't known is dropped, none of it is written",
  ingestPublishDone: "as above",
  ingestUpdate: "as above",
  forwardOauthPost: "a provider's form: what isn't known is dropped, none of it is written",
  mediaHook: "signed by a service of our own; each type has a schema of its own",
  billingHook: "signed by the payment platform; each type has a schema of its own",
  stripeHook: "signed by Stripe",
  createPasskey: "what a browser makes of a passkey, to which others will add: what isn't known isn't read",
  signInWithPasskey: "as above",
  stepUp: "as above",
  setSeoTags: "names of a pattern, 29 at most, texts of 300: kept in a field of their own, shown as they are",
};

/** Every property of a request that is an address, with what becomes of it. Nothing that a client names is ever fetched by the service. */
const ADDRESSES: Record<string, string> = {
  "updateMe.image_url": "shown to clients",
  "updateMe.banner_url": "shown to clients",
  "updateMe.social_links.instagram": "shown to clients",
  "updateMe.social_links.twitter": "shown to clients",
  "updateMe.social_links.facebook": "shown to clients",
  "updateMe.social_links.discord": "shown to clients",
  "updateMe.social_links.tiktok": "shown to clients",
  "updateMe.social_links.youtube": "shown to clients",
  "updateMe.social_links.website": "shown to clients",
  "updateMyStream.thumbnail_url": "shown to clients",
  "updateMyStream.ingress_pull_url":
    "handed to the media service, which fetches; hosts by name of public top-level domains alone",
  "createSupportRequest.urls": "read by staff",
  "signInWithOauth.redirect_uri": "one of the configuration, exactly; handed to the provider, never fetched",
  "linkProvider.redirect_uri": "as above",
  "createSubscriptionCheckout.return_to":
    "below the service's own address or a configured one; handed to the payment platform, never fetched",
  "createTipCheckout.return_to": "as above",
  "changeSubscriptionTier.return_to": "as above",
};

type Found = { path: string; schema: JsonSchema };

/** Every schema of a request's body under the path that it has there. */
function schemasIn(schema: unknown, path: string, seen: ReadonlySet<string> = new Set()): Found[] {
  if (!isObject(schema)) return [];
  if (typeof schema.$ref === "string") {
    if (seen.has(schema.$ref)) return [];
    const name = schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
    // Keywords beside a reference hold as well.
    const own = { ...document.components.schemas[name], ...schema, $ref: undefined, "x-name": name };
    return schemasIn(own, path, new Set([...seen, schema.$ref]));
  }
  const properties = Object.entries(Object(schema.properties)).flatMap(([name, part]) =>
    schemasIn(part, `${path}.${name}`, seen),
  );
  const others = ["anyOf", "oneOf", "allOf"].flatMap((key) =>
    (Array.isArray(schema[key]) ? schema[key] : []).flatMap((part: unknown) => schemasIn(part, path, seen)),
  );
  return [{ path, schema }, ...properties, ...others, ...schemasIn(schema.items, path, seen)];
}

const found = operationsOf(document).flatMap(({ operation }) =>
  Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
    schemasIn(schema, operation.operationId),
  ),
);

const operationOf = ({ path }: Found): string => path.split(".")[0] ?? "";

describe("bodies of requests", () => {
  it("say of each object at each depth that it takes nothing else, so that nothing can be assigned that isn't meant to be", () => {
    const objects = found.filter(({ schema }) => isObject(schema.properties));
    expect(objects.length).greaterThan(40);
    const open = objects.filter(({ schema }) => schema.additionalProperties !== false);

    expect([
      ...new Set(open.filter((one) => !(operationOf(one) in OPEN)).map(({ path }) => path)),
    ]).deep.equal([]);
  });

  // A list of different words of an enumeration has an end.
  it("say of each list how long it may be", () => {
    const lists = found.filter(({ schema }) => [schema.type].flat().includes("array"));
    const endless = lists.filter(
      (one) =>
        schema(one).maxItems === undefined && schema(one).uniqueItems !== true && !(operationOf(one) in OPEN),
    );
    expect(endless.map(({ path }) => path)).deep.equal([]);
  });

  it("hold no address of which it isn't known what becomes of it", () => {
    const isAddress = ({ path, schema: { format, "x-name": name } }: Found) =>
      format === "uri" ||
      /(^|_)ur[il]s?$|website/i.test(path.slice(path.lastIndexOf(".") + 1)) ||
      /Url$|Link$/.test(String(name));
    const addresses = found.filter((one) => isAddress(one) && !(operationOf(one) in OPEN));

    expect([...new Set(addresses.map(({ path }) => path))].sort()).deep.equal(Object.keys(ADDRESSES).sort());
  });
});

const schema = ({ schema: own }: Found): JsonSchema => own;
