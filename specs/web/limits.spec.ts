import { readFileSync } from "node:fs";
import { expect } from "chai";
import { STAKE_LIMIT } from "../../actors/points/prediction/machine.ts";

const OPENAPI = new URL("../../contract/generated/openapi.json", import.meta.url);
const WEB = new URL("../../web/src/", import.meta.url);

type Bound = "minimum" | "maximum" | "minLength" | "maxLength" | "maxItems";
/** Constants of pages, and where the interface has them. Those of whispers are in UTF-16 units, of which one character may take two. */
const COPIES: readonly [file: string, constant: string, schema: string, field: string, bound: Bound][] = [
  ["billing/tip-dialog.tsx", "LEAST", "TipCheckoutRequest", "amount_cents", "minimum"],
  ["billing/tip-dialog.tsx", "MOST", "TipCheckoutRequest", "amount_cents", "maximum"],
  ["billing/tip-dialog.tsx", "LONGEST_MESSAGE", "TipCheckoutRequest", "message", "maxLength"],
  ["points/redeem-dialog.tsx", "LONGEST_INPUT", "RedeemRequest", "user_input", "maxLength"],
  ["live/clips/clip-cutter.tsx", "MOST_LETTERS", "NewClip", "title", "maxLength"],
  ["safety/report-dialog.tsx", "LONGEST_DETAILS", "NewReport", "details", "maxLength"],
  ["safety/appeal-form.tsx", "SHORTEST", "NewAppeal", "message", "minLength"],
  ["safety/appeal-form.tsx", "LONGEST", "NewAppeal", "message", "maxLength"],
  ["accounts/settings/profile/profile-form.tsx", "LONGEST_BIO", "UserUpdate", "bio", "maxLength"],
  ["console/rewards/reward-form.tsx", "LONGEST_TITLE", "NewReward", "title", "maxLength"],
  ["console/rewards/reward-form.tsx", "LONGEST_DESCRIPTION", "NewReward", "description", "maxLength"],
  ["console/chat/new-term.tsx", "LONGEST_TERM", "NewBlockedTerm", "term", "maxLength"],
  ["console/chat/trial.ts", "MOST", "BlockedTermTest", "texts", "maxItems"],
  ["console/stream/markers/markers-panel.tsx", "LONGEST", "NewMarker", "description", "maxLength"],
  ["console/videos/edit-video.tsx", "LONGEST_TITLE", "VideoUpdate", "title", "maxLength"],
  ["console/schedule/entry-form.tsx", "LONGEST_TITLE", "NewScheduleEntry", "title", "maxLength"],
  ["console/schedule/skips.ts", "MOST", "NewScheduleEntry", "recurrence_exceptions", "maxItems"],
  ["console/rewards/use-decisions.ts", "MOST_AT_ONCE", "BulkDecision", "ids", "maxItems"],
];

describe("limits in pages", () => {
  const { components } = JSON.parse(readFileSync(OPENAPI, "utf8"));
  const numberOf = (file: string, constant: string): number => {
    const found = new RegExp(`const ${constant} = ([\\d_]+);`).exec(readFileSync(new URL(file, WEB), "utf8"));
    return Number(found?.[1]?.replaceAll("_", ""));
  };

  it("are those of the interface", () => {
    const pages = COPIES.map(([file, constant]) => [file, constant, numberOf(file, constant)]);
    expect(pages).deep.equal(
      COPIES.map(([file, constant, schema, field, bound]) => [
        ...[file, constant],
        components.schemas[schema].properties[field][bound],
      ]),
    );
    for (const file of ["chat/whisper-form.tsx", "whispers/whisper-field.tsx"])
      expect(numberOf(file, "LONGEST_UNITS"), file).equal(
        2 * components.schemas.NewWhisper.properties.content.maxLength,
      );
  });

  it("have the most that may be bet on a prediction from its rule", () => {
    expect(numberOf("points/odds.ts", "STAKE_LIMIT")).equal(STAKE_LIMIT);
  });
});
