import type { Log } from "../../store/log.ts";

/** A publisher by the id of its connection and the public name of what it publishes. */
type Publisher = { streamId: string; clientId: string };

/** What an RTMP server can be told. */
export type MediaControl = {
  /** One that isn't there is dropped already. Rejects when it has to be tried again. */
  dropPublisher(publisher: Publisher): Promise<void>;
};

/** A server that doesn't answer keeps the others waiting no longer. */
const DEADLINE_MS = 3_000;

/**
 * The control module of nginx-rtmp under `url` (`rtmp_control all`). It finds a stream by its public id, which the publish
 * hook has to give it (`?rename=1`), and in it the connection, so that whoever publishes anew isn't hit.
 */
export function createNginxRtmpControl({
  url,
  application,
}: {
  url: string;
  application: string;
}): MediaControl {
  return {
    async dropPublisher({ streamId, clientId }) {
      const query = new URLSearchParams({ app: application, name: streamId, clientid: clientId });
      const answer = await fetch(`${url}/drop/publisher?${query}`, {
        redirect: "error",
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the RTMP server answered ${answer.status}`);
    },
  };
}

/** Where none is configured: publishers stay connected until they leave; nobody sees what they send. */
export function createNoMediaControl(log: Log): MediaControl {
  let isSaid = false;
  return {
    async dropPublisher() {
      if (!isSaid) log.debug("no MEDIA_CONTROL_URL: publishers aren't dropped at the RTMP server");
      isSaid = true;
    },
  };
}
