import { Loaded } from "../components/loaded.tsx";
import { to } from "../site/page-data.ts";
import type { Me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { QuietHours } from "./quiet-hours.tsx";
import { type Preferences, usePreferences } from "./use-preferences.ts";

const TYPES = [
  ...(["stream_live", "mentions", "followers", "raids", "clips", "subscriptions", "donations"] as const),
  "unban_requests" as const,
];
type Switch = (typeof TYPES)[number] | "push_enabled" | "email_enabled";

/** Of what the user is told, and how. Each change is saved at once. */
export function PreferencesForm({ user }: { user: Me }) {
  const { preferences } = TEXTS.notifications;
  const { read, problem, change } = usePreferences();
  return (
    <Loaded read={read}>
      {(shown) => {
        const toggle = (name: Switch) => (isOn: boolean) => change((before) => ({ ...before, [name]: isOn }));
        return (
          <>
            {problem !== null && (
              <p class="fault" role="alert">
                {problem}
              </p>
            )}
            <section class="box">
              <h2>{preferences.what}</h2>
              <p class="quiet">{preferences.whatHint}</p>
              {TYPES.map((type) => (
                <Check
                  key={type}
                  name={type}
                  of={shown}
                  text={preferences.types[type]}
                  onChange={toggle(type)}
                />
              ))}
            </section>
            <section class="box">
              <h2>{preferences.ways}</h2>
              <Check
                name="push_enabled"
                of={shown}
                text={preferences.push_enabled}
                onChange={toggle("push_enabled")}
              />
              <Check
                name="email_enabled"
                of={shown}
                text={[preferences.email, preferences.emailHint(user.email ?? "")]}
                onChange={toggle("email_enabled")}
              />
              {user.email_verified === undefined && (
                <p class="quiet">
                  {preferences.unverified} <a href={to("/settings/account")}>{preferences.verify}</a>
                </p>
              )}
            </section>
            <QuietHours preferences={shown} change={change} />
          </>
        );
      }}
    </Loaded>
  );
}

type CheckProps = {
  name: Switch;
  of: Preferences;
  text: readonly string[];
  onChange: (isOn: boolean) => void;
};

/** A switch with its name, and what it is for. */
function Check({ name, of, text: [label, hint], onChange }: CheckProps) {
  return (
    <label class="check explained">
      <input
        type="checkbox"
        name={name}
        checked={of[name]}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span class="what">
        <span>{label}</span> <span class="quiet">{hint}</span>
      </span>
    </label>
  );
}
