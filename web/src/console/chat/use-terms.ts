import { useEffect, useRef, useState } from "preact/hooks";
import type { Schemas } from "../../site/page-data.ts";
import { problemOf } from "../../site/problems.ts";
import type { Read } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { useReadSoon } from "../read-soon.ts";
import { useRoomTopic, whenRoomMissed } from "../room-topic.ts";

type Term = Schemas["ChatBlockedTerm"];

const PER_PAGE = 100;

/** All of a room's blocked terms, newest first, as moderators change them anywhere. A room has a thousand at most. */
export function useTerms(streamId: string): Read<readonly Term[]> {
  const [data, setData] = useState<readonly Term[] | undefined>(undefined);
  const [problem, setProblem] = useState<string | null>(null);
  /** The last one counts: an answer may come after that of a later request. */
  const reads = useRef(0);
  const again = (): void => {
    const read = ++reads.current;
    allTerms(streamId).then(
      (terms) => {
        if (read !== reads.current) return;
        setData(terms);
        setProblem(null);
      },
      (err: unknown) => read === reads.current && setProblem(problemOf(err)),
    );
  };
  const readSoon = useReadSoon(again);
  useEffect(() => {
    again();
    return () => {
      reads.current++;
    };
  }, [streamId]);
  useRoomTopic(streamId, (room) => [...whenRoomMissed(room, readSoon), room.on("mod.terms", readSoon)]);
  return {
    data,
    problem,
    status: null,
    again,
    change: (change) => setData((before) => before && change(before)),
  };
}

async function allTerms(streamId: string): Promise<Term[]> {
  const terms: Term[] = [];
  for (let page = 1; ; page++) {
    const query = { page, per_page: PER_PAGE };
    const { items, has_more } = await client.call("listBlockedTerms", {
      path: { stream_id: streamId },
      query,
    });
    terms.push(...items);
    if (!has_more) break;
  }
  // What comes twice, since the list moved, counts once.
  return [...new Map(terms.map((term) => [term.id, term])).values()].sort((a, b) => b.id - a.id);
}
