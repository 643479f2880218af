import { useMemo, useState } from "preact/hooks";
import { nameOf } from "../../../components/avatar.tsx";
import { Field } from "../../../components/field.tsx";
import { Loaded } from "../../../components/loaded.tsx";
import { useOneAtATime } from "../../../components/one-at-a-time.ts";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { formatClock } from "../../../formats/clock.ts";
import { AttemptKey } from "../../../site/attempt-key.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { problemOf } from "../../../site/problems.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { Panel } from "../../panel.tsx";
import { useMarkers } from "./markers.ts";

const LONGEST = 140;

/** Marks a moment of the broadcast, and lists those that are marked: of the running one, or of the last. */
export function MarkersPanel({ streamId, isLive }: { streamId: string; isLive: boolean }) {
  const texts = CONSOLE_TEXTS.markers;
  const markers = useMarkers(streamId);
  const { isBusy, run } = useOneAtATime();
  const remove = ({ id }: Schemas["StreamMarker"]): void =>
    void run(async () => {
      try {
        await client.call("deleteMarker", { path: { stream_id: streamId, marker_id: id } });
        markers.removed(id);
      } catch (err) {
        say(problemOf(err), { isProblem: true });
      }
    });
  return (
    <Panel title={texts.title} kind="markers">
      {isLive && <NewMarker streamId={streamId} onMade={markers.made} />}
      <Loaded read={markers.read}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="quiet">{isLive ? texts.none : texts.noneOffline}</p>
          ) : (
            <ul class="rows">
              {items.map((marker) => (
                <li key={marker.id}>
                  <span class="what">
                    <b>{formatClock(marker.position_seconds * 1_000)}</b>{" "}
                    {marker.description !== null && <span dir="auto">{marker.description}</span>}
                    <span class="quiet">
                      <bdi>{nameOf(marker.created_by)}</bdi>
                    </span>
                  </span>
                  <button
                    type="button"
                    class="button quiet"
                    aria-disabled={isBusy}
                    aria-label={texts.removeOf(formatClock(marker.position_seconds * 1_000))}
                    onClick={() => remove(marker)}
                  >
                    {texts.remove}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function NewMarker({
  streamId,
  onMade,
}: {
  streamId: string;
  onMade: (marker: Schemas["StreamMarker"]) => void;
}) {
  const texts = CONSOLE_TEXTS.markers;
  const [description, setDescription] = useState("");
  const key = useMemo(() => new AttemptKey(), []);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const said = description.trim();
    const request = { path: { stream_id: streamId }, body: said === "" ? {} : { description: said } };
    onMade(
      await key.once(request, (idempotencyKey) =>
        client.call("createMarker", { ...request, idempotencyKey }),
      ),
    );
    // The next one may have been typed meanwhile.
    setDescription((now) => (now === description ? "" : now));
  });
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <Field
        name="marker"
        label={texts.description}
        value={description}
        onValue={setDescription}
        autoComplete="off"
        maxLength={LONGEST}
      />
      <Refused refusal={refusal} />
      <div class="actions">
        <button type="submit" class="button" aria-disabled={isBusy}>
          {texts.make}
        </button>
      </div>
    </form>
  );
}
