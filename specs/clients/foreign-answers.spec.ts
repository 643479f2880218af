import { expect } from "chai";
import { createClient, LivecoreError, UnexpectedAnswerError } from "../../clients/typescript/src/index.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { newAccount } from "./new-account.ts";
import { watchedFetch } from "./watched-fetch.ts";

const REFRESH = "/v1/auth/refresh";
const HEALTH = "/healthz";
const page = (status: number) => new Response("<h1>Welcome to the lounge</h1>", { status });
const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });
const redirect = () => new Response(null, { status: 302, headers: { location: "https://lounge.example/" } });

describe("The client, when something in between answers", () => {
  const { world } = setUpWorld();

  async function signedIn() {
    const network = watchedFetch();
    const reported: unknown[] = [];
    const onTokens = (tokens: unknown) => void reported.push(tokens);
    const auth = { mode: "bearer", onTokens } as const;
    const client = createClient({ baseUrl: world.baseUrl, fetch: network.fetch, auth });
    await client.call("register", { body: newAccount() });
    return { client, network, reported };
  }
  const outcome = (call: Promise<unknown>) => call.catch((err: unknown) => err);

  it("takes only 200 to 299 for success, and no page of somebody's", async () => {
    const { client, network } = await signedIn();
    for (const answer of [
      Response.error(),
      redirect(),
      json(302, {}),
      page(200),
      new Response("", { status: 200 }),
    ]) {
      const { status } = answer;
      network.answerInstead(HEALTH, answer, answer.clone());
      expect(await outcome(client.call("getHealth")))
        .instanceOf(UnexpectedAnswerError)
        .include({ status });
      expect(await outcome(client.attempt("getHealth"))).instanceOf(UnexpectedAnswerError);
    }
  });

  it("stays signed in when a refresh isn't answered by the service", async () => {
    const foreign: [Response, unknown][] = [
      [page(403), UnexpectedAnswerError],
      [page(401), UnexpectedAnswerError],
      [page(200), UnexpectedAnswerError],
      [json(200, { welcome: true }), UnexpectedAnswerError],
      [json(200, { access_token: "one only" }), UnexpectedAnswerError],
      [redirect(), UnexpectedAnswerError],
      [Response.error(), UnexpectedAnswerError],
      [page(502), LivecoreError],
      [json(403, { code: "client_header_required", message: "No." }), LivecoreError],
    ];
    for (const [answer, kind] of foreign) {
      const { client, network, reported } = await signedIn();
      const { tokens, identity } = client;
      network.spoil("/v1/users/me");
      network.answerInstead(REFRESH, answer);

      expect(await outcome(client.attempt("getMe"))).instanceOf(kind);

      expect(client.tokens).equal(tokens);
      expect([identity.aborted, reported.length]).deep.equal([false, 1]);
      expect(await client.call("getMe"), "the next try").property("id");
    }
  });

  it("keeps its tokens when a sign-in isn't answered by the service", async () => {
    const { client, network } = await signedIn();
    const { tokens } = client;
    const body = { login: "somebody", password: "a long phrase" };
    for (const answer of [page(200), json(200, {}), redirect()]) {
      network.answerInstead("/v1/auth/login", answer);
      expect(await outcome(client.call("login", { body }))).instanceOf(UnexpectedAnswerError);
    }
    expect(client.tokens).equal(tokens);
  });

  it("ends the session when the service says that there is none", async () => {
    for (const [status, code] of [
      [401, "invalid_token"],
      [401, "auth_required"],
      [403, "account_banned"],
    ] as const) {
      const { client, network, reported } = await signedIn();
      const { identity } = client;
      network.spoil("/v1/users/me");
      network.answerInstead(REFRESH, json(status, { code, message: "No." }));

      expect(await client.attempt("getMe")).nested.include({ status: 401, "error.code": "invalid_token" });

      expect([client.tokens, identity.aborted, reported.at(-1)]).deep.equal([null, true, null]);
    }
  });
});
