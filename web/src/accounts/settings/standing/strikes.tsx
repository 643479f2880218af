import { Loaded } from "../../../components/loaded.tsx";
import { formatDate } from "../../../formats/dates.ts";
import type { AppealSubject } from "../../../safety/appeal-form.tsx";
import type { Schemas } from "../../../site/page-data.ts";
import { More, type Paged } from "../../../site/paged.tsx";
import { serverNow } from "../../../site/service-clock.ts";
import { TEXTS } from "../../../texts/texts.ts";

type Strike = Schemas["OwnStrike"];
type Appealing = { isAppealed: (one: AppealSubject) => boolean; onAppeal: (one: AppealSubject) => void };

/** This many in force ban the account. */
const MOST = 3;

const isInForce = ({ revoked_at, expires_at }: Strike): boolean =>
  revoked_at === null && Date.parse(expires_at) > serverNow();

/** The user's strikes, what they mean, and a way to appeal against those that count. */
export function Strikes({ pages, ...appealing }: { pages: Paged<Strike> } & Appealing) {
  const { standing } = TEXTS;
  const { items } = pages;
  const inForce = items.filter(isInForce).length;
  return (
    <section class="box">
      <h2>{standing.strikes}</h2>
      <p>{standing.strikesHint}</p>
      <Loaded read={pages.first}>
        {() =>
          items.length === 0 ? (
            <p class="quiet">{standing.noStrikes}</p>
          ) : (
            <>
              <p class="tally" data-full={inForce > 0}>
                <span class="marks" aria-hidden="true">
                  {Array.from({ length: MOST }, (_, index) => (
                    <span key={index} data-on={index < inForce} />
                  ))}
                </span>
                {standing.inForce(inForce, MOST)}
              </p>
              <ul class="rows">
                {items.map((strike) => (
                  <Row key={strike.id} strike={strike} {...appealing} />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
      <More pages={pages} />
    </section>
  );
}

function Row({ strike, isAppealed, onAppeal }: { strike: Strike } & Appealing) {
  const { standing } = TEXTS;
  const { id, reason, created_at, expires_at, revoked_at } = strike;
  const subject = { subject_type: "strike", subject_id: id } as const;
  const isCounted = isInForce(strike);
  const end =
    revoked_at !== null
      ? standing.revoked(formatDate(revoked_at))
      : (isCounted ? standing.counts : standing.expired)(formatDate(expires_at));
  return (
    <li>
      <div class="what">
        <b dir="auto">{reason}</b>
        <span class="quiet">{`${standing.given(formatDate(created_at))} · ${end}`}</span>
      </div>
      {isCounted &&
        (isAppealed(subject) ? (
          <span class="state">{standing.isAppealed}</span>
        ) : (
          <button
            type="button"
            class="button quiet"
            aria-label={standing.appealOfStrike(formatDate(created_at))}
            onClick={() => onAppeal(subject)}
          >
            {standing.appeal}
          </button>
        ))}
    </li>
  );
}
