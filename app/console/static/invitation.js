import { element, finish, onSubmit, post, takeParameters } from "./calls.js";

const token = takeParameters().get("token");
const JOINED = "You have joined.";

async function joinAsNewcomer(form) {
  const account = { email: form.get("email"), password: form.get("password") };
  await post("auth/signup", { ...account, invitation_token: token });
  // An address with an account is answered in the same way; then only its own password logs in.
  finish(JOINED, await post("auth/login", account));
}

async function joinAsMember(form) {
  const session = await post("auth/login", { email: form.get("email"), password: form.get("password") });
  await post("invitations/accept", { token }, session.access_token);
  finish(JOINED, session);
}

if (token) {
  element("forms").hidden = false;
  onSubmit(element("newcomer"), joinAsNewcomer);
  onSubmit(element("member"), joinAsMember);
} else {
  element("refusal").textContent = "This link is not complete: open it from the mail again.";
}
