import { formatCount } from "../../formats/numbers.ts";

/** Logging in, signing up, and the pages that emails link to. */
export const accounts = {
  signInTitle: "Log in",
  login: "Username or email address",
  password: "Password",
  signIn: "Log in",
  forgot: "Forgot your password?",
  noAccount: "Don't have an account?",
  signUpTitle: "Sign up",
  username: "Username",
  usernameHint: "3 to 25 letters, digits or underscores. It is your channel's address.",
  email: "Email address",
  emailHint: "We send you a link to verify it. Nobody else sees it.",
  passwordHint: "At least 10 characters. A few unrelated words work best.",
  nameFree: "This username is available.",
  nameTaken: "This username is taken.",
  nameReserved: "This username is reserved. Choose another.",
  nameInvalid: "3 to 25 letters, digits or underscores, beginning with a letter or digit.",
  strength: (word: string) => `Strength: ${word}.`,
  strengths: ["very weak", "weak", "not strong enough", "strong", "very strong"],
  passwordHints: {
    too_short: "Use at least 10 characters.",
    common: "This password is too common.",
    few_characters: "Use a wider mix of characters.",
    own_words: "Don't use your own name.",
    guessable: "Add unrelated words.",
  },
  invitation: "Invitation code",
  invitationHint: "New accounts need an invitation here.",
  closed: "Sign-up is closed right now.",
  agree: "By signing up you agree to:",
  agreed: { rules: "Rules", terms: "Terms of service", privacy: "Privacy policy" },
  signUp: "Sign up",
  haveAccount: "Already have an account?",
  codeTitle: "Two-factor code",
  codeHint: "Enter the code of your authenticator app, or a recovery code.",
  code: "Code",
  confirm: "Continue",
  startAgain: "Start again",
  tooLate: "This took too long, or had too many wrong codes. Log in again.",
  welcome: (name: string) => `Welcome, ${name}.`,
  checkMail: {
    title: "Check your email",
    signIn: "Log in to see whether your address is verified.",
    sentTo: "We sent a link to",
    hint: "Open it to verify your address. This page continues automatically. Check your spam folder too.",
    resend: "Send the email again",
    resendIn: (wait: string) => `Send again in ${wait}`,
    resent: "The email was sent again.",
    change: "Change the address",
    later: "Do this later",
    done: "Your address is verified.",
  },
  restored: "Your account was restored.",
  fewCodes: (count: number) =>
    count === 0
      ? "That was your last recovery code. Get new ones in the settings."
      : `You have ${formatCount(count)} recovery ${count === 1 ? "code" : "codes"} left.`,
  passkeys: {
    signIn: "Log in with a passkey",
    cancelled: "No passkey was used. Try again, or choose another way.",
    known: "This device has a passkey for this account.",
    insecure: "Passkeys don't work at this address.",
  },
  or: "or",
  providers: "Other ways to log in",
  continueWith: (provider: string) => `Continue with ${provider}`,
  complete: {
    title: "Choose your username",
    hint: "One more step, then your account is ready.",
    create: "Create account",
    tooLate: "This took too long. Log in again with the other service.",
  },
  refusals: {
    oauth_failed: "The other service's answer can't be used. Try again.",
    oauth_denied: "You cancelled at the other service. Try again, or log in another way.",
    unavailable: "The other service doesn't answer. Try again later, or log in another way.",
    email_unverified:
      "An account with your email address exists, and the address isn't verified. Reset its password first.",
    email_taken:
      "An account with your email address exists. Log in to it, then connect the other service in your settings.",
    already_linked:
      "Your account is already connected with another account of this service. Disconnect that one first.",
    identity_taken: "That account is already connected with another account here.",
    sign_up_closed: "Sign-up is closed right now.",
    other: "That didn't work. Try again, or log in another way.",
  },
  banned: {
    title: "This account is banned",
    hint: "You can't log in. To see the reason, log in with your password. If your email address is verified, we also emailed it.",
    why: "You can't log in. Staff gave this reason:",
    sent: "Your appeal was sent. If your email address is verified, we'll email you the decision.",
    back: "Back to login",
  },
};

export const mailed = {
  openAgain: "Open the link in the email again.",
  incomplete: "The link isn't complete. Open it in the email again, or copy all of it.",
  over: "This link was used already, or it has expired.",
  overVerify:
    "This link was used already, or it has expired. If your address isn't verified yet, log in and ask for a new email.",
  overUndo:
    "This link was used already, or it has expired. If you can't get into your account, reset its password, or contact support.",
  overUnsubscribe:
    "This link no longer works. Use the link in a newer email, or turn off these emails in your settings.",
  front: "Go to the home page",
  signIn: "Log in",
  support: "Contact support",
  newLink: "Get a new link to reset your password",
  verify: {
    title: "Verify your email address",
    account: (name: string) => `Account: ${name}. Verify only if it is yours.`,
    button: "Verify the address",
    done: "Your address is verified.",
  },
  reset: {
    title: "Choose a new password",
    password: "New password",
    button: "Set the password",
    done: "Your password was changed, and you've been logged out everywhere. Log in with the new password.",
  },
  forgot: {
    title: "Reset your password",
    email: "Email address of your account",
    button: "Email me a link",
    done: "If an account has this address, an email with a link is on its way. The link works for 30 minutes. Check your spam folder too.",
  },
  undoEmail: {
    title: "Undo the change of your email address",
    button: "Undo the change",
    done: "Your account has its email address back, and you've been logged out everywhere. We emailed you a link to choose a new password.",
  },
  undoTwoFactor: {
    title: "Turn off two-factor authentication",
    button: "Turn it off",
    done: "Two-factor authentication is off, and you've been logged out everywhere. We emailed you a link to choose a new password.",
  },
  unsubscribe: {
    title: "Unsubscribe from notification emails",
    button: "Turn off these emails",
    done: "You won't get any more notification emails. You still find your notifications on this site, and can turn the emails on again in your settings.",
  },
};
