const FORM = /<form method="post" action="([^"]+)"><button>([^<]+)<\/button><\/form>/g;

/** Opens the page of a checkout and submits the form of one of its buttons, as a browser does. */
export async function pressButton(checkoutUrl: string, label: string): Promise<void> {
  const page = await answerOf(checkoutUrl, "GET");
  const form = [...page.matchAll(FORM)].find((one) => one[2] === label);
  if (!form?.[1]) throw new Error(`The checkout's page has no button "${label}".`);
  await answerOf(new URL(form[1], checkoutUrl).href, "POST");
}

async function answerOf(url: string, method: "GET" | "POST"): Promise<string> {
  const answer = await fetch(url, { method, signal: AbortSignal.timeout(15_000) });
  const page = await answer.text();
  if (!answer.ok)
    throw new Error(`${method} of the checkout's page was answered with ${answer.status}: ${page}`);
  return page;
}
