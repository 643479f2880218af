import { Heart, Settings } from "lucide";
import { useState } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { Icon } from "../components/icon.tsx";
import { Menu } from "../components/menu.tsx";
import { TextArea } from "../components/text-area.tsx";
import { say } from "../site/toasts.ts";
import { HOSTILE, LONG } from "./made-up.ts";
import { Shelf, Specimen } from "./specimen.tsx";

/** What people press and fill in. */
export function FormShelf() {
  const [value, setValue] = useState("");
  const field = { name: "made-up", autoComplete: "off", value, onValue: setValue };
  return (
    <Shelf title="Buttons, fields, menus">
      <Specimen name="Buttons">
        <div class="actions">
          {["button", "button quiet", "button danger"].map((kind) => (
            <button key={kind} type="button" class={kind}>
              <Icon of={Heart} />
              {kind}
            </button>
          ))}
          <button type="button" class="button" aria-disabled="true">
            Disabled
          </button>
          <a class="button" href="#gallery">
            Somewhere else
          </a>
        </div>
      </Specimen>
      <Specimen name="Buttons with long texts">
        <div class="actions">
          <button type="button" class="button">
            {LONG}
          </button>
        </div>
      </Specimen>
      <Specimen name="Fields">
        <Field {...field} label="Empty" />
        <Field {...field} label="With a hint" hint={LONG} />
        <Field {...field} label="With a fault" fault={HOSTILE} />
        <Field {...field} label="Secret" isSecret />
        <TextArea
          name="made-up-text"
          label="Several lines"
          value={value}
          onValue={setValue}
          hint={HOSTILE}
          fault={LONG}
          maxLength={300}
        />
      </Specimen>
      <Specimen name="Menu">
        <Menu label="Made-up menu" button={<Icon of={Settings} />}>
          <a href="#gallery">{LONG}</a>
          <button type="button">{HOSTILE}</button>
        </Menu>
      </Specimen>
      <Specimen name="Notices">
        <div class="actions">
          <button type="button" class="button" onClick={() => say(LONG)}>
            Say something
          </button>
          <button type="button" class="button" onClick={() => say(HOSTILE, { isProblem: true })}>
            Say that something failed
          </button>
        </div>
      </Specimen>
    </Shelf>
  );
}
