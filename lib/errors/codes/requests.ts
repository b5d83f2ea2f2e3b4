import { defineCodes } from "./define-codes.js"

/** Codes about requests of browsers and other clients. */
export const REQUESTS = defineCodes({
  "bad-request": {
    title: "A request is invalid",
    cause: "Its body is too large, arrives too late or has an unsupported content type, or a field is missing.",
    remedy:
      "Nothing to do if the request is not from your site. Your forms send `application/x-www-form-urlencoded` or JSON, at most 64 kB.",
    docs: "errors.md#users-and-requests",
  },
  "body-consumed": {
    title: "The body of a form was read before the middleware",
    cause:
      "Earlier middleware reads request bodies without setting `req.body`: a logger, a proxy, or a parser for another content type. The form's CSRF token is lost.",
    remedy: `Mount the middleware before it, or use Express' own body parser:

\`\`\`js
app.use(authMiddleware(config))
app.use(requestLogger)
\`\`\``,
    docs: "express.md#body-parsers",
  },
  "callback-url-invalid": {
    title: "The return URL is invalid",
    cause: "The `callbackUrl` of a link or a form is neither a path nor a URL.",
    remedy: "If the link is yours, write a path of this site: `/auth/signin?callbackUrl=/account`.",
    docs: "callbacks-and-events.md#redirect",
  },
  "callback-url-other-site": {
    title: "A return URL on another site was ignored",
    cause:
      "`callbackUrl` has another origin, or is an address of a mobile application. Without a `redirect` callback users stay on this site.",
    remedy: `Nothing to do if the address is not yours: it may be an attack. Otherwise allow exactly your addresses:

\`\`\`js
const OURS = ["https://shop.example.com", "myapp://signed-in"]

authMiddleware({
  callbacks: {
    redirect({ url, baseUrl }) {
      const { origin, protocol, host, href } = new URL(url, baseUrl)
      return origin === baseUrl || OURS.includes(\`\${protocol}//\${host}\`) ? href : baseUrl
    },
  },
})
\`\`\`

Send an address with a custom scheme in the form field \`callbackUrl\`, not in the query.`,
    docs: "callbacks-and-events.md#redirect",
  },
  "provider-unknown": {
    title: "The provider is unknown",
    cause: "The address names a provider that is not in `providers`, or does not support the action.",
    remedy: "If the link is yours, use the provider's id. `GET /auth/providers` lists all ids.",
    docs: "configuration.md#providers",
  },
  "action-unknown": {
    title: "The address does not exist",
    cause: "The path is unknown (status 404), or does not accept this method (405).",
    remedy:
      "If the link is yours, fix it. Sign-in and sign-out are POST requests; a link leads to the page with the form.",
    docs: "errors.md#users-and-requests",
  },
  "csrf-token-missing": {
    title: "A form has no CSRF token",
    cause: "A POST request has no `csrfToken` field, which proves that a page of this site sent the form.",
    remedy: `Add the field to your form:

\`\`\`html
<form method="post" action="/auth/signout">
  <%- auth.csrfField() %>
  <button>Sign out</button>
</form>
\`\`\`

A script gets the token from \`GET /auth/csrf\`, and sends it as \`csrfToken\` with the cookies.`,
    docs: "express.md#a-sign-in-page-of-your-own",
  },
  "csrf-cookie-missing": {
    title: "A form has no CSRF cookie",
    cause:
      "The browser sent no CSRF cookie, or one made with another secret: cookies are blocked, the page is in a frame of another site, the page is on `http:` while cookies are `Secure`, or a script does not send cookies.",
    remedy: `Check that the page with the form sets the cookie. From a script, send cookies:

\`\`\`js
await fetch("/auth/signout", { method: "POST", credentials: "include", body })
\`\`\``,
    docs: "express.md#from-a-script",
  },
  "csrf-cookie-foreign": {
    title: "A CSRF cookie was made with another secret",
    cause:
      "The secret was changed, or another application on this host uses the same cookie names. Cookies ignore the port.",
    remedy: `Give each application on \`localhost\` its own cookie names:

\`\`\`js
authMiddleware({
  cookies: {
    sessionToken: { name: "shop.session-token" },
    csrfToken: { name: "shop.csrf-token" },
    callbackUrl: { name: "shop.callback-url" },
    state: { name: "shop.state" },
  },
})
\`\`\`

After a change of the secret, keep the old one for as long as sessions last: \`secret: [newSecret, oldSecret]\`.`,
    docs: "sessions.md#changing-the-secret",
  },
  "csrf-token-wrong": {
    title: "A form has the CSRF token of another browser",
    cause:
      "The token and the cookie do not match: the page was cached, or opened before a sign-in or a sign-out, which renews the token.",
    remedy: "Do not cache pages with a token: `Cache-Control: no-store`. Reload an old tab.",
    docs: "express.md#a-sign-in-page-of-your-own",
  },
  "session-cookies-conflict": {
    title: "A browser has sessions of different users",
    cause:
      "A request has valid session cookies of different users, or more session cookies than are read. It is treated as signed out, and no account is linked. Another host of the domain, or a former `domain` or `path` in `cookies.sessionToken`, set the second cookie. The user has to clear the cookies of the site, because a response can't clear a cookie of another domain or path.",
    remedy: `Use a cookie name that browsers accept from this host alone. Existing sessions stay valid:

\`\`\`js
authMiddleware({ session: { hostPrefix: true } })
\`\`\``,
    docs: "sessions.md#cookies-that-other-hosts-set",
  },
  "cross-site-post": {
    title: "A form was sent from another site",
    cause: "The browser reports a page of another site as the sender of the form (`Sec-Fetch-Site`, or `Origin`).",
    remedy:
      "Nothing to do if the page is not yours: an attack was refused. Otherwise link to a page of this site instead. If a proxy changes the host, let it pass the original host on.",
    docs: "security.md#threats-and-defences",
  },
  "credentials-refused": {
    title: "Credentials were refused",
    cause: "`authorize` returned null, or threw `CredentialsSignin`.",
    remedy: "Nothing to do: users mistype. If no user can sign in, check what `authorize` receives and returns.",
    docs: "credentials.md#authorize",
  },
  "too-many-attempts": {
    title: "Too many attempts",
    cause:
      "A limit of `rateLimit` is reached: a client made too many attempts for one account, failed too often, signed up too often, started too many sign-ins, or requested too many emails. The message names the limit.",
    remedy: `If it affects legitimate users, raise the limit. Behind a proxy, the clients' addresses must be known:

\`\`\`js
app.set("trust proxy", 1)
\`\`\``,
    docs: "credentials.md#the-limit-on-attempts",
  },
  "access-denied": {
    title: "The application refused a sign-in",
    cause: "The `signIn` callback returned false or threw an error. The cause in the log states which.",
    remedy: "If this is not intended, check `callbacks.signIn`: it must return `true`.",
    docs: "callbacks-and-events.md#signin",
  },
  "user-not-allowed": {
    title: "The provider's options exclude this user",
    cause: "An option such as a list of domains, tenants or teams excludes the user.",
    remedy: "If this is not intended, add the missing entry to the provider's list.",
    docs: "oauth.md#options-of-a-provider",
  },
  "email-address-invalid": {
    title: "An email address is invalid",
    cause: "The text is not an email address, or `normalizeIdentifier` refused it.",
    remedy: "Nothing to do: the page asks for the address again.",
    docs: "email.md#which-addresses",
  },
  "link-invalid": {
    title: "An email link is invalid",
    cause: "The link was used already, was replaced by a newer one, or was never sent.",
    remedy:
      "Users request a new link. If it happens to all users, check whether the secret was changed without keeping the old one, and whether all processes use the same database.",
    docs: "email.md#what-users-see",
  },
  "link-expired": {
    title: "An email link has expired",
    cause: "The link was opened after its lifetime: 24 hours, unless the provider's `maxAge` sets another.",
    remedy: "Users request a new link. If emails arrive late, check the email server and the clocks.",
    docs: "email.md#options",
  },
  "account-not-linked": {
    title: "The account belongs to another user",
    cause:
      "A user with this email address signs in with another method, or the account is linked to another user. An equal address alone links no accounts, because the visitor may not own it. The message may also state that another user than the current one started the sign-in, for example in another tab.",
    remedy:
      "Users sign in with their first method, and link the account afterwards. If a provider verifies addresses, you can trust it with `allowDangerousEmailAccountLinking: true`.",
    docs: "accounts.md#unverified-addresses",
  },
  "flow-cookie-missing": {
    title: "A sign-in returned to a browser that did not start it",
    cause:
      "A cookie stores the attempt for 15 minutes. It was missing at the return: the user was too late, used another browser or blocks cookies, or the host or the secret differs from that at the start.",
    remedy: `If it happens at every sign-in, check this:

- The host in the address bar is that of \`AUTH_URL\` and of the redirect URI. \`localhost\` and \`127.0.0.1\` are two hosts.
- All processes have the same \`AUTH_SECRET\`.
- Cookies are \`Secure\` only on HTTPS: behind a proxy, \`trust proxy\` must be set.

Applications on different ports of \`localhost\` share cookies. Give each its own host or cookie names.`,
    docs: "oauth.md#checks",
  },
  "flow-finished": {
    title: "A sign-in was already finished",
    cause: "The same response of the provider arrived twice: the user reloaded the page or went back.",
    remedy: "Nothing to do: the user is signed in, or starts again.",
    docs: "oauth.md#checks",
  },
  "passkey-refused": {
    title: "A passkey was refused",
    cause:
      "The authenticator's response is invalid, too late, used before or for another site, or no user has the passkey. The log states which.",
    remedy:
      "If it happens always, check that `AUTH_URL` is the address in the browser, and `relayingParty.id` its domain.",
    docs: "passkeys.md#what-is-checked",
  },
})
