import type { Schemas } from "../site/page-data.ts";
import { useRead } from "../site/read.ts";
import { TEXTS } from "../texts/texts.ts";
import "./billing.css";

export type Tier = Schemas["Tier"];
export type Offer = Schemas["SubscriptionTier"];
type Emote = Schemas["ChatEmote"];

/** How many times the points of watching, by tier (`getPoints` of the interface). */
const POINTS_FACTOR: Record<Tier, string> = { 1: "1.2", 2: "1.4", 3: "2" };
const SHOWN_EMOTES = 8;

type Props = {
  streamId: string;
  offers: readonly Offer[];
  chosen: Tier;
  /** What a tier costs, as a sentence. */
  priceOf: (offer: Offer) => string;
  onChoose: (tier: Tier) => void;
};

/** The tiers of a channel, with what each gives. */
export function Tiers({ streamId, offers, chosen, priceOf, onChoose }: Props) {
  const { billing } = TEXTS;
  const path = { stream_id: streamId };
  const emotes = useRead("listChannelEmotes", { path, query: { per_page: 100 } });
  const room = useRead("getChatRoom", { path });
  return (
    <fieldset class="tiers">
      <legend class="aloud">{billing.tiers}</legend>
      {offers.map((offer) => (
        <label key={offer.tier} class="tier">
          <span class="head">
            <input
              type="radio"
              name="tier"
              value={offer.tier}
              checked={offer.tier === chosen}
              onChange={() => onChoose(offer.tier)}
            />
            <b>{billing.tier(offer.tier)}</b>
            <span class="price">{priceOf(offer)}</span>
          </span>
          <Perks
            tier={offer.tier}
            badge={room.data?.badges.find(({ id }) => id === `subscriber-${offer.tier}`)}
            // Until they are there, or if they never are, the rest says enough.
            emotes={emotes.data?.items ?? []}
          />
        </label>
      ))}
    </fieldset>
  );
}

function Perks({
  tier,
  badge,
  emotes,
}: {
  tier: Tier;
  badge: Schemas["ChatBadge"] | undefined;
  emotes: readonly Emote[];
}) {
  const { perks } = TEXTS.billing;
  const own = emotes.filter(({ min_tier = 0 }) => min_tier > 0 && min_tier <= tier);
  return (
    <span class="perks quiet">
      <span>
        {badge && <img src={badge.image_url} alt="" width="18" height="18" />}
        {perks.badge}
      </span>
      <span>{perks.points(POINTS_FACTOR[tier])}</span>
      {own.length > 0 && (
        <span>
          {perks.emotes(own.length)}
          {own.slice(0, SHOWN_EMOTES).map(({ id, url, name }) => (
            <img key={id} src={url} alt={name} title={name} width="22" height="22" />
          ))}
        </span>
      )}
    </span>
  );
}
