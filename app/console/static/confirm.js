import { element, finish, onSubmit, post, takeParameters } from "./calls.js";

const TITLES = {
  signup: ["Confirm your e-mail address", "Confirm my address"],
  email: ["Confirm your e-mail address", "Confirm my address"],
  invite: ["Accept the invitation", "Accept"],
  magiclink: ["Log in", "Log in"],
  recovery: ["Choose a new password", "Set the password"],
};
const parameters = takeParameters();
const type = parameters.get("type");
const token = parameters.get("token_hash");
const choosesPassword = type === "recovery";
let session = null;

async function follow(form) {
  // A refused password does not use up the link a second time.
  session ??= await post("auth/verify", { token_hash: token, type });
  if (choosesPassword) {
    await post("auth/password/update", { password: form.get("password") }, session.access_token);
    finish("Your new password is set, and your other sessions have ended.");
  } else {
    finish(type === "magiclink" ? "You are logged in." : "Your address is confirmed. You can log in now.", session);
  }
}

if (token && TITLES[type]) {
  [element("title").textContent, element("submit").textContent] = TITLES[type];
  element("password").hidden = !choosesPassword;
  element("password").querySelector("input").required = choosesPassword;
  element("forms").hidden = false;
  onSubmit(element("forms"), follow);
} else {
  element("refusal").textContent = "This link is not complete: open it from the mail again.";
}
