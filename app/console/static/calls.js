// Calls of the service, and what a page shows of them. Texts are set as text, never as HTML.

export class Refused extends Error {}

/** The answer's JSON, if it has any. Throws Refused with the service's own sentence. */
export async function post(path, body, token) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(`../api/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  } catch {
    throw new Refused("The service cannot be reached now. Try again.");
  }
  const text = await response.text();
  const answer = text ? JSON.parse(text) : {};
  if (response.ok) return answer;
  const details = (answer.details ?? []).map((detail) => detail.message);
  throw new Refused([answer.message, ...details].join(" "));
}

/** What the address says, which then leaves the address bar and the history. */
export function takeParameters() {
  const parameters = new URLSearchParams(location.search);
  history.replaceState(null, "", location.pathname);
  return parameters;
}

export function element(id) {
  return document.getElementById(id);
}

/** Runs at each submit, one at a time; a refusal is shown in the page. */
export function onSubmit(form, work) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    element("refusal").textContent = "";
    try {
      await work(new FormData(form));
    } catch (error) {
      element("refusal").textContent = error instanceof Refused ? error.message : "Something went wrong. Try again.";
    } finally {
      button.disabled = false;
    }
  });
}

/** Replaces the forms by a sentence. */
export function finish(sentence, tokens) {
  element("forms").remove();
  element("done").textContent = sentence;
  if (!tokens) return;
  element("tokens").value = JSON.stringify(tokens, null, 2);
  element("session").hidden = false;
}
