import { expect } from "chai";
import { shows } from "../../../../contract/coverage/shows.ts";
import { createApi } from "../../../support/api.ts";
import { eventually } from "../../../support/eventually.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";
import { newName, PASSWORD } from "../open-accounts.ts";
import { clientOf, modes, sessionIdOf } from "../session-modes.ts";

describe("accounts, profiles and sessions over HTTP", () => {
  const { world } = setUpWorld();

  async function someone() {
    const mode = modes.find(({ name }) => name === "bearer");
    if (!mode) throw new Error("There is no bearer mode");
    const client = clientOf(world.baseUrl, mode);
    const held = await client.register();
    const api = client.as(held.access);
    return { ...held, sessionId: sessionIdOf(held), client, api, me: await api.ok("getMe") };
  }

  it("shows the owner the account with its e-mail, and others the profile without", async () => {
    const { me, username } = await someone();
    const other = await someone();

    const profile = await createApi(world.baseUrl).call("getPublicProfile", { params: { username } });

    expect(me).include({ username, email: `${username}@example.org`, status: "active", is_verified: false });
    expect(profile.status).equal(200);
    expect(JSON.stringify(profile.body)).not.include("@example.org");
    expect(profile.body).not.property("seo_tags");
    shows("absent User.email", "absent PublicProfile.seo_tags");
    expect(profile.body).include({ id: me.id, username, follower_count: 0, is_following: false });
    expect(profile.body).nested.include({ "stream.name": username, "stream.is_live": false });
    const seen = await other.api.call("getPublicProfile", { params: { username: username.toUpperCase() } });
    expect(seen.body).deep.equal(profile.body);
  });

  it("counts followers, and says whether the one who asks is among them", async () => {
    const { me, username } = await someone();
    const fan = await someone();
    await fan.api.ok("followUser", { params: { user_id: me.id } });

    const profileFor = (api: typeof fan.api) => api.ok("getPublicProfile", { params: { username } });

    expect(await profileFor(fan.api)).include({ follower_count: 1, is_following: true });
    expect(await profileFor(createApi(world.baseUrl))).include({ follower_count: 1, is_following: false });
    shows("absent PublicProfile.is_following");
  });

  it("has no profile for a name that nobody has", async () => {
    const answer = await createApi(world.baseUrl).call("getPublicProfile", {
      params: { username: newName() },
    });

    expect([answer.status, answer.code]).deep.equal([404, "not_found"]);
  });

  it("changes what is sent and answers the account as it then is", async () => {
    const { api, username } = await someone();
    const change = {
      username_title: username.toUpperCase(),
      bio: "Two\nlines",
      social_links: { website: "https://example.org/me" },
      image_url: "https://example.org/a.png",
      banner_url: null,
    };

    const after = await api.ok("updateMe", { body: change });

    expect(after).deep.include(change);
    expect(await api.ok("getMe")).deep.equal(after);
  });

  it("takes any http or https address as website", async () => {
    const { api } = await someone();
    for (const website of [
      "http://localhost:3000/me",
      encodeURI("HTTPS://münchen.example/ä".normalize("NFC")),
      "http://[::1]/",
      "https://example.org:8443?me@there#too",
      "https://example.org./~me/a:b@c",
    ]) {
      const { social_links } = await api.ok("updateMe", { body: { social_links: { website } } });
      expect(social_links.website).equal(website);
    }
  });

  it("takes names and addresses on networks", async () => {
    const { api } = await someone();
    const social_links = {
      instagram: "me",
      twitter: "@me",
      facebook: "https://facebook.com/me?a=b:c@d",
      discord: "me#1234",
      tiktok: "tiktok.com/@me: the one",
      youtube: "名前",
    };

    expect((await api.ok("updateMe", { body: { social_links } })).social_links).deep.equal(social_links);
  });

  const refused: [what: string, body: unknown][] = [
    ["a field that is not the user's to set", { is_verified: true }],
    ["a status", { status: "banned" }],
    ["an operator in place of text", { bio: { $ne: null } }],
    ["an operator in place of a name", { username: { $gt: "" } }],
    ["a bio that turns the text after it", { bio: "hello \u202eolleh" }],
    ["a bio past 300 characters", { bio: "x".repeat(301) }],
    ["an image that is not on https", { image_url: "http://example.org/a.png" }],
    ["a script as image", { image_url: "javascript:alert(1)" }],
    ["a script as website", { social_links: { website: "javascript:alert(1)" } }],
    ...["https://", "http://@", "http://:80", "http://?me", "http://./"].map((website): [string, unknown] => [
      `a website without a host, ${website}`,
      { social_links: { website } },
    ]),
    ...["https://example.org@evil.example/", "http://me:word@example.org", "http://%40evil.example"].map(
      (website): [string, unknown] => [
        `another's name before the host, ${website}`,
        { social_links: { website } },
      ],
    ),
    ...[
      "http://%00",
      "http://a%0d",
      "http://%ff",
      "http://[::g]/",
      "http://1.2.3.4.5",
      "http://a:65536/",
    ].map((website): [string, unknown] => [
      `a website that can't be opened, ${website}`,
      { social_links: { website } },
    ]),
    ...[
      "javascript:alert(1)",
      " JavaScript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "http:evil",
    ].map((youtube): [string, unknown] => [`${youtube} as name on a network`, { social_links: { youtube } }]),
    ["a misleading address on a network", { social_links: { twitter: "https://twitter.com@evil.example" } }],
    ["an address on a network that can't be opened", { social_links: { discord: "http://1.2.3.4.5" } }],
    ["a network that we don't know", { social_links: { myspace: "me" } }],
    ["a reserved name", { username: "admin" }],
    ["a name with other characters", { username: "na me" }],
    ["a title that is another name", { username_title: "Somebody_Else" }],
    ["an e-mail without the password", { email: "new@example.org" }],
    ["nothing", {}],
  ];
  for (const [what, body] of refused) {
    it(`refuses ${what}, and changes nothing`, async () => {
      const { api, me } = await someone();

      const answer = await api.call("updateMe", { body });

      expect([answer.status, answer.code]).deep.equal([400, "validation_failed"]);
      expect(answer.details.errors).an("array").that.is.not.empty;
      expect(await api.ok("getMe")).deep.equal(me);
    });
  }

  it("refuses a name in use, and says nothing of an address in use", async () => {
    const { api, me } = await someone();
    const other = await someone();

    const name = await api.call("updateMe", { body: { username: other.username } });
    const email = await api.call("updateMe", { body: { email: other.me.email, password: PASSWORD } });

    expect([name.status, name.code]).deep.equal([409, "username_taken"]);
    expect(email.status).equal(200);
    expect((await api.ok("getMe")).email).equal(me.email);
  });

  it("lists one's sessions by pages and ends them, the one that asks excepted", async () => {
    const { api, client, username, sessionId } = await someone();
    const second = await client.login(username);
    const third = await client.login(username);

    const page = await api.ok("listSessions", { query: { per_page: 2 } });
    expect(page).include({ page: 1, per_page: 2, total: 3, has_more: true });
    const all = await api.ok("listSessions");
    expect(all.items.filter((session) => session.is_current).map(({ id }) => id)).deep.equal([sessionId]);

    expect((await api.call("endSession", { params: { session_id: sessionIdOf(second) } })).status).equal(204);
    expect((await client.as(second.access).call("getMe")).code).equal("invalid_token");
    expect((await client.as(third.access).call("getMe")).status).equal(200);

    expect((await api.call("endSessions")).status).equal(204);
    await eventually(async () => (await client.as(third.access).call("getMe")).code === "invalid_token");
    expect((await api.ok("listSessions")).items.map(({ id }) => id)).deep.equal([sessionId]);
  });

  it("has no page before the first, nor one of nothing or of more than a hundred", async () => {
    const { api } = await someone();

    for (const query of [{ page: 0 }, { per_page: 0 }, { per_page: 101 }]) {
      const refused = await api.call("listSessions", { query });
      expect([refused.status, refused.code], JSON.stringify(query)).deep.equal([400, "validation_failed"]);
    }
    const most = await api.ok("listSessions", { query: { page: 1, per_page: 100 } });
    expect(most).include({ per_page: 100, total: 1 });
  });

  it("doesn't end somebody else's session", async () => {
    const { sessionId, api } = await someone();
    const stranger = await someone();

    const answer = await stranger.api.call("endSession", { params: { session_id: sessionId } });

    expect([answer.status, answer.code]).deep.equal([404, "not_found"]);
    expect((await api.call("getMe")).status).equal(200);
  });

  it("publishes the keys by which tokens are verified", async () => {
    const { keys } = await createApi(world.baseUrl).ok("getJwks");

    expect(keys).not.empty;
    for (const key of keys) expect(key).not.property("d");
  });
});
