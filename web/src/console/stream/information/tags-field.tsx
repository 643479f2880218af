import { X } from "lucide";
import { useRef, useState } from "preact/hooks";
import { isComposing } from "../../../components/composing.ts";
import { FieldFrame } from "../../../components/field-frame.tsx";
import { Icon } from "../../../components/icon.tsx";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";

/** As the service allows it. */
const MOST = 10;
const LONGEST = 25;

type Props = { tags: readonly string[]; onTags: (tags: string[]) => void; fault: string | null };

/** Words by which a stream is found. Enter or a comma adds one; Backspace in the empty field takes the last one back. */
export function TagsField({ tags, onTags, fault }: Props) {
  const texts = CONSOLE_TEXTS.stream.information;
  const [text, setText] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const add = (typed: string): void => {
    const words = typed.split(",").map((word) => word.trim().toLowerCase());
    onTags([...new Set([...tags, ...words.filter((word) => word !== "")])].slice(0, MOST));
    setText("");
  };
  const remove = (tag: string): void => {
    onTags(tags.filter((one) => one !== tag));
    // Its button is gone.
    input.current?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === "Enter" && text.trim() !== "") {
      event.preventDefault();
      add(text);
    }
    const last = tags.at(-1);
    if (event.key === "Backspace" && text === "" && last !== undefined) remove(last);
  };
  return (
    <div class="tags-field">
      <FieldFrame label={texts.tags} hint={texts.tagsHint(tags.length, MOST)} fault={fault}>
        {(tied) => (
          <div class="control">
            {tags.length > 0 && (
              <ul aria-label={texts.tags}>
                {tags.map((tag) => (
                  <li key={tag}>
                    <bdi>{tag}</bdi>
                    <button type="button" aria-label={texts.removeTag(tag)} onClick={() => remove(tag)}>
                      <Icon of={X} />
                    </button>
                  </li>
                ))}
              </ul>
            )}
            <input
              {...tied}
              ref={input}
              type="text"
              name="tags"
              value={text}
              maxLength={LONGEST}
              autoComplete="off"
              readOnly={tags.length >= MOST}
              onInput={({ currentTarget: { value } }) => (value.includes(",") ? add(value) : setText(value))}
              onBlur={() => text.trim() !== "" && add(text)}
              onKeyDown={press}
            />
          </div>
        )}
      </FieldFrame>
    </div>
  );
}
