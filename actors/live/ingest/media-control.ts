import type { Log } from "../../../base/log.ts";
import { PEER_DEADLINES_MS } from "../../../base/peer-deadlines.ts";

/** A publisher: the id of its connection, and the public id of its stream. */
type Publisher = { streamId: string; clientId: string };

/** Control commands to an RTMP server. */
export type MediaControl = {
  /** Resolves, too, if the publisher has gone already. Rejects when it must be retried. */
  dropPublisher(publisher: Publisher): Promise<void>;
};

/**
 * The control module of nginx-rtmp at `url` (`rtmp_control all`). It finds a stream by its public id, which the publish hook must
 * have assigned (`?rename=1`), and in it the connection, so that a new publisher of the same stream isn't dropped.
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
        signal: AbortSignal.timeout(PEER_DEADLINES_MS.rtmpControl),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the RTMP server answered ${answer.status}`);
    },
  };
}

/** Used when none is configured: publishers stay connected until they leave, but nobody sees what they send. */
export function createNoMediaControl(log: Log): MediaControl {
  let isLogged = false;
  return {
    async dropPublisher() {
      if (!isLogged) log.debug("no MEDIA_CONTROL_URL: publishers aren't dropped at the RTMP server");
      isLogged = true;
    },
  };
}
