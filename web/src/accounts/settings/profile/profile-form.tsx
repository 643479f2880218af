import { useState } from "preact/hooks";
import { nameOf } from "../../../components/avatar.tsx";
import { Field } from "../../../components/field.tsx";
import { Refused } from "../../../components/refused.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { faultOf, faultsIn } from "../../../site/problems.ts";
import { client, type Me, updatedMe } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { useUnsaved } from "../../../site/unsaved.ts";
import { TEXTS } from "../../../texts/texts.ts";

const NETWORKS = ["website", "discord", "youtube", "instagram", "tiktok", "twitter", "facebook"] as const;
type Network = (typeof NETWORKS)[number];
const LONGEST_BIO = 300;
const LONGEST_LINK = 2_048;

/** Name, bio and links. */
export function ProfileForm({ user }: { user: Me }) {
  const { settings } = TEXTS;
  const { profile } = settings;
  const [name, setName] = useState(nameOf(user));
  const [bio, setBio] = useState(user.bio ?? "");
  const [links, setLinks] = useState<Partial<Record<Network, string>>>(user.social_links);
  const saved = useUnsaved([name, bio, ...NETWORKS.map((network) => links[network] ?? "")]);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const given = Object.entries(links).filter(([, link]) => link.trim() !== "");
    const body = {
      username_title: name,
      bio: bio.trim() === "" ? null : bio,
      social_links: Object.fromEntries(given.map(([network, link]) => [network, link.trim()])),
    };
    updatedMe(await client.call("updateMe", { body }));
    saved();
    say(settings.saved);
  });
  return (
    <form class="box" onSubmit={(event) => void submit(event)}>
      <Field
        name="username_title"
        label={profile.name}
        value={name}
        onValue={setName}
        hint={profile.nameHint(user.username)}
        fault={faultOf(refusal, "username_title")}
        autoComplete="off"
        maxLength={25}
        required
      />
      <TextArea
        name="bio"
        label={profile.bio}
        value={bio}
        onValue={setBio}
        hint={profile.bioHint}
        fault={faultOf(refusal, "bio")}
        maxLength={LONGEST_BIO}
      />
      <fieldset>
        <legend>{profile.links}</legend>
        {NETWORKS.map((network) => (
          <Field
            key={network}
            name={network}
            label={profile.networks[network]}
            value={links[network] ?? ""}
            onValue={(link) => setLinks({ ...links, [network]: link })}
            fault={linkFault(refusal, network)}
            autoComplete="off"
            maxLength={LONGEST_LINK}
          />
        ))}
      </fieldset>
      <Refused refusal={isOfLink(refusal) ? null : refusal} fields={["username_title", "bio"]} />
      <div class="actions">
        <button type="submit" class="button" aria-disabled={isBusy}>
          {isBusy ? settings.saving : settings.save}
        </button>
      </div>
    </form>
  );
}

const pathOf = (network: string): string => `/body/social_links/${network}`;

/** What is wrong with that link, as a sentence; null if nothing is. */
function linkFault(refusal: unknown, network: Network): string | null {
  const fault = faultsIn(refusal).find(({ path }) => path === pathOf(network));
  const { field, names } = TEXTS.problems;
  return fault ? field(names.link, fault.message) : null;
}

const isOfLink = (refusal: unknown): boolean =>
  faultsIn(refusal).some(({ path }) => NETWORKS.some((network) => path === pathOf(network)));
