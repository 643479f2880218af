import { inspect } from "node:util";
import { expect } from "chai";
import { loadSettings } from "../../deploy/processes/config/config.ts";

const SECRET = "a-secret-of-the-client";
const google = {
  id: "google",
  name: "Google",
  issuer: "https://accounts.google.com",
  client_id: "livecore",
  client_secret: SECRET,
};
const discord = {
  id: "discord",
  name: "Discord",
  kind: "oauth",
  issuer: "https://discord.com",
  client_id: "livecore",
  client_secret: SECRET,
  scopes: ["identify", "email"],
  authorization_endpoint: "https://discord.com/oauth2/authorize",
  token_endpoint: "https://discord.com/api/oauth2/token",
  userinfo_endpoint: "https://discord.com/api/users/@me",
  userinfo_fields: { subject: "id", email: "email", email_verified: "verified" },
};

describe("the configuration of providers", () => {
  const env = {
    NODE_ENV: "development",
    INGEST_KEYS: "9f2c4b7a1e8d3650",
    MEDIA_WEBHOOK_SECRETS: "",
    MASTER_KEY: "",
    EDGE_KEYS: "",
  };
  const random = () => ({
    INGEST_KEYS: "3fA9kQz7LxWv2RtYbN8mCpHdJ5sGe4Uo",
    MEDIA_WEBHOOK_SECRETS: "6hT2nVb8KqXs4WcZrY9pLmDfG3jEa7Ui",
    MASTER_KEY: "8jU4mXd2NsZv6YeBtR1qPoFhI5lGc9Wk",
    EDGE_KEYS: "1kW5oZf3PuBx7AgDvT2sRqHjK6nIe8Ym",
  });
  const settings = (providers: unknown, more: Record<string, string> = {}) =>
    loadSettings({
      ...env,
      ...random(),
      OAUTH_PROVIDERS: typeof providers === "string" ? providers : JSON.stringify(providers),
      ...more,
    });
  const problem = (providers: unknown, more: Record<string, string> = {}): string => {
    try {
      settings(providers, more);
      return "none";
    } catch (err) {
      return err instanceof Error ? err.message : String(err);
    }
  };

  it("is a list of providers, with what is left out filled in, and shows no secret", () => {
    const { oauth } = settings([google, discord], {
      OAUTH_RETURN_URLS: "https://a.example/, https://b.example/x",
    });

    expect(oauth.returnUrls).deep.equal(["https://a.example/", "https://b.example/x"]);
    expect(oauth.providers[0]).include({
      kind: "oidc",
      clientAuth: "basic",
      responseMode: "query",
      emailDomains: null,
      endpoints: null,
    });
    expect(oauth.providers[0]?.scopes).deep.equal(["openid", "email"]);
    expect(oauth.providers[1]?.endpoints?.fields.subject).equal("id");
    expect(oauth.providers[0]?.clientSecret?.reveal()).equal(SECRET);
    expect(inspect(oauth, { depth: 9 }) + JSON.stringify(oauth)).not.include(SECRET);
  });

  it("is refused before anything starts, without saying what was written", () => {
    const wrong: [string, unknown][] = [
      ["must be a JSON list", `[{"client_secret": "${SECRET}"`],
      ["must be a JSON list", { google }],
      ["something other than an object", [SECRET]],
      ["unknown fields", [{ ...google, isuer: SECRET }]],
      ["invalid id", [{ ...google, id: SECRET.toUpperCase() }]],
      ["invalid client_id", [{ ...google, client_id: null }]],
      ["same id", [google, google]],
      ["invalid response_mode", [{ ...google, response_mode: "fragment" }]],
      ["https address as issuer", [{ ...google, issuer: "http://accounts.google.com" }]],
      ["https address as issuer", [{ ...google, issuer: `https://x:${SECRET}@accounts.google.com` }]],
      ["https address as issuer", [{ ...google, issuer: "file:///etc/passwd" }]],
      ["scope openid", [{ ...google, scopes: ["email"] }]],
      ["reserved parameter", [{ ...google, parameters: { code_challenge_method: "plain" } }]],
      ["reserved parameter", [{ ...google, parameters: { redirect_uri: "https://evil.example" } }]],
      ["invalid name", [{ ...google, name: "Go to https://evil.example" }]],
      ["normal form", [{ ...google, native_redirect_uris: ["https://app.example"] }]],
      ["https address as token_endpoint", [{ ...discord, token_endpoint: "http://10.0.0.1/" }]],
      ["userinfo_fields", [{ ...discord, userinfo_fields: { subject: "a b" } }]],
    ];
    for (const [expected, providers] of wrong) {
      const message = problem(providers);
      expect(message, JSON.stringify(providers)).include("OAUTH_PROVIDERS").include(expected);
      expect(message).not.include(SECRET);
    }
    for (const url of ["http://app.example/", "https://app.example/#x", "/home", "javascript:alert(1)"])
      expect(problem([google], { OAUTH_RETURN_URLS: url })).include("OAUTH_RETURN_URLS");
  });

  it("has plain http on this machine, and not in production", () => {
    const here = [{ ...google, issuer: "http://127.0.0.1:3000" }];
    expect(problem(here)).equal("none");

    const production = { NODE_ENV: "production", PUBLIC_URL: "https://live.example" };
    expect(problem(here, production)).include("has an http address in production: google");
    expect(problem([google], { ...production, OAUTH_RETURN_URLS: "http://localhost:3000/" })).include(
      "has an http address in production: http://localhost:3000/",
    );
  });
});
