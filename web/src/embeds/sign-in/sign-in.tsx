import { type LivecoreClient, LivecoreError } from "@livecore/client";
import { Component, createRef } from "preact";
import { sessionMarker, tellTabs } from "../../site/session-tabs.ts";
import { TEXTS } from "../../texts/embedded.ts";
import { type ChatRequest, chatRequestIn, type Handover, READY } from "../handover.ts";
import { Card, CodeForm, fieldsOf, PasswordForm } from "./form.tsx";
import { isOpenedByChat } from "./opener.ts";

type Props = { client: LivecoreClient };
type Step =
  | { at: "looking" }
  | { at: "failed" }
  | { at: "password" }
  | { at: "code"; token: string }
  | { at: "agreeing"; userId: string; username: string; isReadable: boolean }
  | { at: "done" };
/** `request`: what the chat that opened this window asked for; null until it has. */
type State = {
  step: Step;
  request: ChatRequest | null;
  isLate: boolean;
  refusal: string | null;
  isBusy: boolean;
};

const { signIn } = TEXTS;
/** How long the window must have the focus before "Allow" takes a click, ms: a click meant for another window agrees to nothing. */
const READING_MS = 700;
/** A chat that doesn't answer in this time is a page of an earlier release, ms. */
const REQUEST_WITHIN_MS = 3_000;

/**
 * Decides who writes in the chat, and on which site: signs the user in if necessary, asks for consent, and passes a token for
 * chat only to the chat that opened this window.
 */
export class SignIn extends Component<Props, State> {
  override state: State = {
    step: { at: "looking" },
    request: null,
    isLate: false,
    refusal: null,
    isBusy: false,
  };
  readonly #content = createRef<HTMLElement>();
  #reading: ReturnType<typeof setTimeout> | undefined;
  #late: ReturnType<typeof setTimeout> | undefined;

  override componentDidMount(): void {
    addEventListener("message", this.#onMessage);
    if (isOpenedByChat()) window.opener?.postMessage(READY, location.origin);
    this.#late = setTimeout(() => this.setState({ isLate: true }), REQUEST_WITHIN_MS);
    addEventListener("focus", this.#startReading);
    addEventListener("blur", this.#stopReading);
    this.#lookAgain();
  }

  override componentWillUnmount(): void {
    removeEventListener("focus", this.#startReading);
    removeEventListener("blur", this.#stopReading);
    removeEventListener("message", this.#onMessage);
    clearTimeout(this.#reading);
    clearTimeout(this.#late);
  }

  /** Accepts only the first request, of the service's origin, from the chat that opened this window. */
  readonly #onMessage = ({ origin, source, data }: MessageEvent<unknown>): void => {
    if (origin !== location.origin || source !== window.opener || !isOpenedByChat()) return;
    const request = chatRequestIn(data);
    if (request && this.state.request === null) this.setState({ request });
  };

  override componentDidUpdate(_: Props, before: State): void {
    const { step, request } = this.state;
    const isNew = before.step.at !== step.at || before.request !== request;
    if (isNew) focusIn(this.#content.current);
    if (before.step.at !== "agreeing" && step.at === "agreeing" && document.hasFocus()) this.#startReading();
  }

  /** Other pages that show another user are loaded again. */
  async #look(): Promise<Step> {
    const marker = sessionMarker();
    const me = await this.props.client.attempt("getMe");
    if (me.ok) {
      const { id: userId, username } = me.data;
      tellTabs({ userId, marker });
      return { at: "agreeing", userId, username, isReadable: false };
    }
    if (me.status === 401) return { at: "password" };
    throw me.error;
  }

  /** Performs a step and shows the next one, with the reason why it isn't the expected one, or the reason why it failed. */
  async #act(act: () => Promise<Step | { step: Step; refusal: string }>): Promise<void> {
    if (this.state.isBusy) return;
    this.setState({ isBusy: true, refusal: null });
    try {
      const done = await act();
      this.setState("step" in done ? done : { step: done });
    } catch (err) {
      this.setState(({ step }) => ({
        refusal: err instanceof LivecoreError ? err.message : signIn.failed,
        // Nothing else leads on from there.
        step: step.at === "looking" ? { at: "failed" } : step,
      }));
    }
    this.setState({ isBusy: false });
  }

  readonly #lookAgain = (): void => {
    this.setState({ step: { at: "looking" } });
    void this.#act(() => this.#look());
  };

  /** Ends the session first, so that the window doesn't find it again; one that the service refuses is replaced by the next. */
  readonly #changeUser = (): void => {
    void this.#act(async () => {
      const answer = await this.props.client.attempt("logout");
      const isRefused = !answer.ok && (answer.status === 401 || answer.status === 403);
      if (!answer.ok && !isRefused) throw answer.error;
      tellTabs({ userId: null, marker: "" });
      return { at: "password" };
    });
  };

  readonly #startReading = (): void => {
    clearTimeout(this.#reading);
    this.#reading = setTimeout(() => this.#setReadable(true), READING_MS);
  };

  readonly #stopReading = (): void => {
    clearTimeout(this.#reading);
    this.#setReadable(false);
  };

  #setReadable(isReadable: boolean): void {
    const { step } = this.state;
    if (step.at === "agreeing") this.setState({ step: { ...step, isReadable } });
  }

  readonly #password = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = fieldsOf(event);
    void this.#act(async () => {
      const body = { login: fields.login ?? "", password: fields.password ?? "" };
      const { two_factor_token: token } = await this.props.client.call("login", { body });
      return token ? { at: "code", token } : this.#look();
    });
  };

  readonly #code = (event: SubmitEvent): void => {
    event.preventDefault();
    const { step } = this.state;
    if (step.at !== "code") return;
    const { code = "" } = fieldsOf(event);
    void this.#act(async () => {
      const body = { two_factor_token: step.token, code };
      const finished = await this.props.client.attempt("finishLogin", { body });
      if (finished.ok) return this.#look();
      const { error } = finished;
      // No code finishes this sign-in any more.
      if (error.code === "invalid_token") return { step: { at: "password" }, refusal: signIn.codeTooLate };
      if (error.code === "account_banned") return { step: { at: "password" }, refusal: error.message };
      throw error;
    });
  };

  readonly #agree = (): void => {
    const { step, request } = this.state;
    if (step.at !== "agreeing" || !step.isReadable || !request) return;
    void this.#act(async () => {
      if (!isOpenedByChat()) throw new Error("nobody is there to take it");
      const body = { site: request.site, stream_id: request.streamId, user_id: step.userId };
      const made = await this.props.client.attempt("createChatToken", { body });
      if (!made.ok && isOfSession(made.error)) return this.#askAgain(step.username);
      if (!made.ok) throw made.error;
      const { token, expires_at: expiresAt } = made.data;
      const handover: Handover = {
        type: "livecore.chat-token",
        token,
        username: step.username,
        expiresAt: expiresAt ?? "",
      };
      // Delivered only to the service's own origin, and to nobody if another page is there by now.
      window.opener?.postMessage(handover, location.origin);
      window.close();
      return { at: "done" };
    });
  };

  /** Another tab has changed who is signed in since this user was asked. */
  async #askAgain(before: string): Promise<{ step: Step; refusal: string }> {
    this.setState({ step: { at: "looking" } });
    const step = await this.#look();
    const now = step.at === "agreeing" ? step.username : null;
    return { step, refusal: now === null ? signIn.signedOut(before) : signIn.otherUser(now) };
  }

  readonly #cancel = (): void => window.close();

  render(_: Props, { step, request, isLate, refusal, isBusy }: State) {
    if (step.at !== "done" && !isOpenedByChat()) return <Card>{signIn.noOpener}</Card>;
    if (!request) return <Card>{isLate ? signIn.noRequest : TEXTS.connecting}</Card>;
    if (request.site === "") return <Card>{signIn.noSite}</Card>;
    return (
      <Card place={this.#content}>
        {refusal !== null && <p role="alert">{refusal}</p>}
        {step.at === "looking" && <p>{TEXTS.connecting}</p>}
        {step.at === "done" && <p>{signIn.done}</p>}
        {step.at === "failed" && (
          <>
            <h1 tabIndex={-1}>{signIn.failedTitle}</h1>
            <button type="button" aria-disabled={isBusy} onClick={this.#lookAgain}>
              {signIn.again}
            </button>
            <button type="button" class="quiet" aria-disabled={isBusy} onClick={this.#changeUser}>
              {signIn.other}
            </button>
          </>
        )}
        {step.at === "password" && <PasswordForm isBusy={isBusy} onSubmit={this.#password} />}
        {step.at === "code" && <CodeForm isBusy={isBusy} onSubmit={this.#code} />}
        {step.at === "agreeing" && (
          <>
            <h1 tabIndex={-1}>{signIn.ask(step.username)}</h1>
            <p>{signIn.site}</p>
            <p class="site">{request.site}</p>
            <p dir="auto">{signIn.extent(request.channelName)}</p>
            <button type="button" aria-disabled={isBusy || !step.isReadable} onClick={this.#agree}>
              {signIn.agree}
            </button>
            <button type="button" class="quiet" onClick={this.#cancel}>
              {signIn.cancel}
            </button>
            <p>
              <button type="button" class="link" aria-disabled={isBusy} onClick={this.#changeUser}>
                {signIn.notMe(step.username)}
              </button>
            </p>
          </>
        )}
      </Card>
    );
  }
}

/** The first field, or what is asked. */
const focusIn = (step: HTMLElement | null): void =>
  (step?.querySelector<HTMLElement>("input") ?? step?.querySelector<HTMLElement>("h1"))?.focus();

/** Whether a refusal is about who is signed in. */
const isOfSession = ({ status, code }: LivecoreError): boolean => status === 401 || code === "invalid_state";
