import { Loaded } from "../components/loaded.tsx";
import { MatureGate } from "../components/mature-gate.tsx";
import { Missing } from "../components/missing.tsx";
import { Refused } from "../components/refused.tsx";
import { GridSkeleton } from "../components/stream-card.tsx";
import type { Read } from "../site/read.ts";
import { HOSTILE, LONG, nothing } from "./made-up.ts";
import { Shelf, Specimen } from "./specimen.tsx";

const readOf = (change: Partial<Read<string>>): Read<string> => ({
  data: undefined,
  problem: null,
  status: null,
  again: nothing,
  change: nothing,
  ...change,
});

/** What stands in the place of something. */
export const StateShelf = () => (
  <Shelf title="Loading, empty, failed">
    <Specimen name="Loading">
      <Loaded read={readOf({})}>{(text) => text}</Loaded>
    </Specimen>
    <Specimen name="Loading cards">
      <Loaded read={readOf({})} skeleton={<GridSkeleton count={4} />}>
        {(text) => text}
      </Loaded>
    </Specimen>
    <Specimen name="Failed">
      <Loaded read={readOf({ problem: HOSTILE })}>{(text) => text}</Loaded>
    </Specimen>
    <Specimen name="Missing">
      <Loaded read={readOf({ problem: "", status: 404 })} missing={<Missing title={LONG} hint={HOSTILE} />}>
        {(text) => text}
      </Loaded>
    </Specimen>
    <Specimen name="Refused">
      <Refused refusal={new Error(HOSTILE)} />
    </Specimen>
    <Specimen name="Mature content">
      <div class="screen">
        <MatureGate of={{ is_mature: true }}>It is open.</MatureGate>
      </div>
    </Specimen>
  </Shelf>
);
