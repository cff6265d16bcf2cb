import { element, finish, onSubmit, post, takeParameters } from "./calls.js";

const token = takeParameters().get("token");

async function joinAsNewcomer(form) {
  const account = accountOf(form);
  const { user } = await post("auth/signup", { ...account, invitation_token: token });
  // An address with an account is answered in the same way, with an id that is nobody's: it has not joined yet.
  await join(account, user.id);
}

async function joinAsMember(form) {
  await join(accountOf(form));
}

function accountOf(form) {
  return { email: form.get("email"), password: form.get("password") };
}

/** Logs in, and accepts unless it is this person whom the sign-up has made a member. */
async function join(account, newcomer) {
  const session = await post("auth/login", account);
  if (session.user.id !== newcomer) await post("invitations/accept", { token }, session.access_token);
  finish("You have joined.", session);
}

if (token) {
  element("forms").hidden = false;
  onSubmit(element("newcomer"), joinAsNewcomer);
  onSubmit(element("member"), joinAsMember);
} else {
  element("refusal").textContent = "This link is not complete: open it from the mail again.";
}
