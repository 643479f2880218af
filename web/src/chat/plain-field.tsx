import type { RefObject } from "preact";
import { MessageInput } from "./message-input.tsx";

export type FieldProps = {
  input: RefObject<HTMLTextAreaElement | null>;
  text: string;
  label: string;
  maxLength: number;
  isInvalid: boolean;
  onText: (text: string) => void;
};

/** The input for a message. */
export const PlainField = (props: FieldProps) => (
  <div class="draft">
    <MessageInput {...props} />
  </div>
);
