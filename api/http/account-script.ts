/**
 * The script of the account pages. The token comes in the fragment, which no log and no other page sees, and is posted only when the
 * button is pressed: programs that scan mails open links, and would use it up. A press that can't succeed takes the form away, and what
 * is left says how to go on.
 */
export const ACCOUNT_SCRIPT = `"use strict";
const form = document.querySelector("form");
const button = form.querySelector("button");
const output = document.querySelector("output");
const next = document.querySelector("#next");
const newLink = document.querySelector("#new-link");
const params = new URLSearchParams(location.hash.slice(1));
const token = params.get("token") ?? "";
const account = document.querySelector("#account");
const NAMES = { password: "This password", email: "This address" };

if (account && params.get("account")) {
  account.textContent = "Account: " + params.get("account") + ". Verify only if it is yours.";
  account.hidden = false;
}
history.replaceState(null, "", location.pathname);
if ("token" in form.dataset && !token) giveUp("Open the link in the mail again.");

function end(text) {
  output.textContent = text;
  form.hidden = true;
  if (account) account.hidden = true;
  // A page of an older release, beside which this one runs for a while, has none.
  if (next) next.hidden = false;
}

function giveUp(text) {
  end(text);
  if (newLink) newLink.hidden = false;
}

function refuse({ code, message, details }) {
  const [fault] = code === "validation_failed" ? details.errors : [];
  const field = fault && form.elements.namedItem(fault.path.split("/")[2]);
  if (code === "invalid_token") giveUp(form.dataset.over);
  else if (fault && !field) giveUp("The link isn't complete. Open it in the mail again, or copy all of it.");
  else if (code === "email_taken") giveUp(message);
  else output.textContent = field ? NAMES[field.name] + " " + fault.message + "." : message;
  if (!field) return;
  field.setAttribute("aria-invalid", "true");
  field.focus();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  output.textContent = "";
  for (const field of form.elements) field.removeAttribute("aria-invalid");
  try {
    const fields = Object.fromEntries(new FormData(form));
    const answer = await fetch("../v1/" + form.dataset.posts + ("query" in form.dataset ? "?token=" + encodeURIComponent(token) : ""), {
      method: "POST",
      credentials: "omit",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(token ? { token, ...fields } : fields),
    });
    if (answer.ok) end(form.dataset.done);
    else refuse(await answer.json());
  } catch {
    output.textContent = "That didn't work. Try again.";
  }
  button.disabled = false;
});
`;
