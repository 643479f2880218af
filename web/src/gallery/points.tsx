import { NoticeBar } from "../components/notice-bar.tsx";
import { Tabs } from "../components/tabs.tsx";
import { NOTHING_KNOWN } from "../points/offer.ts";
import { Outcomes } from "../points/outcomes.tsx";
import type { Bet } from "../points/prediction.ts";
import { ResultText } from "../points/result-text.tsx";
import { RewardTile } from "../points/reward-tile.tsx";
import type { Schemas } from "../site/page-data.ts";
import { HOSTILE, LONG, nothing, predictionOf, rewardOf } from "./made-up.ts";
import { Shelf, Specimen } from "./specimen.tsx";
import "../points/points.css";
import "../points/prediction.css";

const BET: Bet = { prediction_id: predictionOf().id, outcome_id: "a", amount: 1_000, payout: null };

/** Predictions, rewards, and what stands below the player. */
export const PointsShelf = () => (
  <Shelf title="Points">
    <Specimen name="Prediction to bet on">
      <Card prediction={predictionOf()} bet={null} />
    </Specimen>
    <Specimen name="Prediction with an own bet">
      <Card prediction={predictionOf({ status: "locked" })} bet={BET} />
    </Specimen>
    <Specimen name="Prediction that was won">
      <Card
        prediction={predictionOf({ status: "resolved", resolved_outcome_id: "a" })}
        bet={{ ...BET, payout: 12_345 }}
      />
    </Specimen>
    <Specimen name="Prediction without a bet on it">
      <Card
        prediction={predictionOf({
          outcomes: predictionOf().outcomes.map((one) => ({ ...one, points_pool: 0, bettor_count: 0 })),
        })}
        bet={null}
      />
    </Specimen>
    <Specimen name="Rewards">
      <ul class="rewards">
        {[
          rewardOf({ id: "1" }),
          rewardOf({ id: "2", is_paused: true }),
          rewardOf({ id: "3", left_in_broadcast: 0, title: LONG.slice(0, 45) }),
          rewardOf({ id: "4", cost: 1_000_000, title: HOSTILE }),
          rewardOf({ id: "5", cooldown_ends_at: "2999-01-01T00:00:00.000Z" }),
        ].map((reward) => (
          <RewardTile
            key={reward.id}
            reward={reward}
            known={NOTHING_KNOWN}
            balance={500}
            onChoose={nothing}
          />
        ))}
      </ul>
    </Specimen>
    <Specimen name="Notice below the player">
      <NoticeBar label="Made-up notice">
        <p dir="auto">{HOSTILE}</p>
        <button type="button" class="button">
          {LONG.slice(0, 40)}
        </button>
      </NoticeBar>
    </Specimen>
    <Specimen name="Tabs">
      <Tabs
        label="Made-up tabs"
        tabs={[
          { id: "one", text: "One" },
          { id: "two", text: LONG.slice(0, 40) },
        ]}
        chosen="one"
        onChoose={nothing}
      />
      <div id="panel-one">One</div>
      <div id="panel-two" hidden />
    </Specimen>
  </Shelf>
);

const Card = ({ prediction, bet }: { prediction: Schemas["Prediction"]; bet: Bet | null }) => (
  <div class="prediction">
    <h2 dir="auto">{prediction.title}</h2>
    <p class="own">
      <ResultText prediction={prediction} bet={bet} />
    </p>
    <Outcomes prediction={prediction} bet={bet} chosen={null} onChoose={bet ? null : nothing} />
  </div>
);
