import type { Request } from "autocannon";
import type { Person, Stage } from "./stage.ts";

const HOME = "/v1/discovery/home";
/** Of what many have in their titles, of one channel, and of what nobody is called. */
const SEARCHES = ["channel", "owner_7", "title", "ownr_12", "qqqq"];

/** One kind of request; `requests` are sent in turn by each connection, each of which begins elsewhere. */
export type Measured = {
  part: string;
  title: string;
  /** Whether our answer may be a kept one; the bare server keeps none. */
  cached: boolean;
  requests: Request[];
};

/** A request that both contenders read in their way: ours by the token, the bare one by the headers that name the user. */
export async function measuredOperations(stage: Stage): Promise<Measured[]> {
  const signedIn = await Promise.all(
    stage.people.map(async (person) => ({
      person,
      headers: {
        authorization: `Bearer ${await stage.token(person)}`,
        "x-user": person.userId,
        "x-name": person.username,
        "x-session": person.sessionId,
      },
    })),
  );
  const get = (path: string, headers: Record<string, string> = {}): Request => ({
    method: "GET",
    path,
    headers,
  });
  const asEach = (requestOf: (person: Person, i: number) => Request): Request[] =>
    signedIn.map(({ person, headers }, i) => {
      const request = requestOf(person, i);
      return { ...request, headers: { ...headers, ...request.headers } };
    });
  const profile = (i: number) => `/v1/users/${stage.usernames[i % stage.usernames.length]}`;

  return [
    { part: "health", title: "health", cached: false, requests: [get("/healthz")] },
    { part: "me", title: "own profile", cached: false, requests: asEach(() => get("/v1/users/me")) },
    {
      part: "profile",
      title: "public profile, signed in",
      cached: false,
      requests: asEach((_person, i) => get(profile(i))),
    },
    {
      part: "profile",
      title: "public profile of one of 100, anonymous",
      cached: true,
      requests: stage.usernames.map((_name, i) => get(profile(i))),
    },
    {
      part: "stream",
      title: "one of 100 streams by its id, signed in",
      cached: false,
      requests: asEach(({ streamId }) => get(`/v1/streams/${streamId}`)),
    },
    {
      part: "list",
      title: "24 of 100 live streams, signed in",
      cached: false,
      requests: asEach(() => get("/v1/streams")),
    },
    {
      part: "list",
      title: "24 of 100 live streams, anonymous",
      cached: true,
      requests: [get("/v1/streams")],
    },
    { part: "home", title: "front page, signed in", cached: false, requests: asEach(() => get(HOME)) },
    { part: "home", title: "front page, anonymous", cached: true, requests: [get(HOME)] },
    {
      part: "notifications",
      title: "24 of 60 notifications",
      cached: false,
      requests: asEach(() => get("/v1/notifications")),
    },
    {
      part: "search",
      title: "search by a word and a name, signed in",
      cached: false,
      requests: asEach((_person, i) => get(`/v1/search?q=${SEARCHES[i % SEARCHES.length]}`)),
    },
    {
      part: "analytics",
      title: "a creator's 30 days",
      cached: false,
      requests: asEach(() => get("/v1/analytics/creator?period=30d")),
    },
    {
      part: "send",
      title: "a chat message by REST",
      cached: false,
      requests: asEach(({ streamId }) => ({
        method: "POST",
        path: `/v1/chat/${streamId}/messages`,
        headers: { "content-type": "application/json" },
        // The load generator puts something new in for the id: nobody may repeat themselves.
        body: JSON.stringify({ content: "a message of a usual length [<id>]" }),
      })),
    },
  ];
}
