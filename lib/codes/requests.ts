import { rows } from "./row.js"

/** Of what people and their browsers send. */
export const REQUESTS = rows({
  "bad-request": {
    title: "A request can't be understood",
    cause: "Its body is too large, too late, or of a kind that is not read here, or a field is missing.",
    remedy:
      "Nothing, when strangers send it. Forms of your own send `application/x-www-form-urlencoded` or JSON, at most 64 kB.",
    see: "errors.md#people-and-requests",
  },
  "body-consumed": {
    title: "The body of a form was read before it got here",
    cause:
      "Something before the middleware reads the bodies of requests, and leaves nothing of them in `req.body`: a logger, a proxy, a parser for another kind of content. The form's token is lost with it.",
    remedy: `Mount the middleware before it, or let Express' own parser read:

\`\`\`js
app.use(authMiddleware(config))
app.use(whatReadsBodies)
\`\`\``,
    see: "express.md#body-parsers",
  },
  "callback-url-invalid": {
    title: "The callbackUrl of a link is no URL",
    cause: "A link or a form says where to go afterwards, and that is neither a path nor a URL.",
    remedy: "If the link is yours, write a path of this site: `/auth/signin?callbackUrl=/account`.",
    see: "callbacks-and-events.md#redirect",
  },
  "callback-url-elsewhere": {
    title: "People are to land on another site, and do not",
    cause:
      "`callbackUrl` is an address of another origin, or of an application on a phone, and without a `redirect` callback everybody stays on this site: otherwise a link to you could lead anywhere.",
    remedy: `Nothing, when the address is not yours: somebody tried. Else name the places that you know, and no others:

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

An address with a scheme of its own goes into the form's field \`callbackUrl\`, not into the query.`,
    see: "callbacks-and-events.md#redirect",
  },
  "provider-unknown": {
    title: "There is no such provider",
    cause: "An address names a provider that is not in `providers`, or one that can't do what is asked.",
    remedy: "If the link is yours, write the provider's id. `GET /auth/providers` lists them.",
    see: "configuration.md#providers",
  },
  "action-unknown": {
    title: "There is no such address",
    cause: "The path below the base path is none, or it does not take this method: the status is 404 or 405.",
    remedy: "If the link is yours, mend it. Signing in and out is a POST; a link leads to the page that posts it.",
    see: "errors.md#people-and-requests",
  },
  "csrf-token-missing": {
    title: "A form came without its token",
    cause: "A POST has no `csrfToken` among its fields, which shows that a page of this site has sent it.",
    remedy: `In a form of your own:

\`\`\`html
<form method="post" action="/auth/signout">
  <%- auth.csrfField() %>
  <button>Sign out</button>
</form>
\`\`\`

From a script, send what \`GET /auth/csrf\` answers, as \`csrfToken\`, and send cookies along.`,
    see: "express.md#a-sign-in-page-of-your-own",
  },
  "csrf-cookie-missing": {
    title: "A form came without the cookie that belongs to its token",
    cause:
      "The browser sent no CSRF cookie, or one that another secret has made: cookies are blocked, the page stands in a frame of another site, it was opened over `http:` where cookies are `Secure`, or a script does not send cookies.",
    remedy: `In a browser, look whether the page that holds the form sets the cookie. From a script:

\`\`\`js
await fetch("/auth/signout", { method: "POST", credentials: "include", body })
\`\`\``,
    see: "express.md#from-a-script",
  },
  "csrf-cookie-foreign": {
    title: "A form came with the cookie of another secret",
    cause:
      "The CSRF cookie was made with another secret: it was changed, or another application on this host has cookies of the same name. Browsers keep cookies by host, whatever the port.",
    remedy: `Two applications on \`localhost\`: give one of them names of its own.

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
    see: "sessions.md#changing-the-secret",
  },
  "csrf-token-wrong": {
    title: "A form came with another browser's token",
    cause:
      "Token and cookie do not belong together: a page was kept in a cache, or it is from before the browser signed in or out, which renews the token.",
    remedy: "Pages with a token must not be cached: `Cache-Control: no-store`. An old tab is reloaded.",
    see: "express.md#a-sign-in-page-of-your-own",
  },
  "session-cookies-conflict": {
    title: "A browser has sessions of different users",
    cause:
      "A request came with several session cookies that are valid and belong to different users, or with more than are read. It is answered as signed out, and no account is linked. Another host below the same domain can set a cookie of this name, for the whole domain or for a longer path. A cookie from before a change of `domain` or `path` in `cookies.sessionToken` is another cause. An answer can't clear a cookie that was set for another domain or path: the user clears the cookies of the site.",
    remedy: `Give the session's cookie a name that browsers accept from this host alone. Sessions that exist stay valid:

\`\`\`js
authMiddleware({ session: { hostPrefix: true } })
\`\`\``,
    see: "sessions.md#cookies-that-other-hosts-set",
  },
  "cross-site-post": {
    title: "A form came from another site",
    cause: "The browser says that a page of another site has sent it (`Sec-Fetch-Site`, or `Origin`).",
    remedy:
      "Nothing, if you have no such page: an attack was refused. If you have, let it lead to a page of this site. Behind a proxy that changes the host, pass the host on.",
    see: "security.md#who-may-attack-and-what-stands-against-it",
  },
  "credentials-refused": {
    title: "Credentials were refused",
    cause: "`authorize` gave null, or threw `CredentialsSignin`.",
    remedy: "Nothing: people mistype. If nobody gets in, look at what `authorize` gets and gives.",
    see: "credentials.md#authorize",
  },
  "too-many-attempts": {
    title: "Too many attempts",
    cause:
      "A limit of `rateLimit` is reached; the message names it. A client made too many attempts for one account, failed too often, signed up too often, started too many sign-ins, or requested too many emails.",
    remedy: `Nothing, unless it affects legitimate users. Raise the limit that the message names; and behind a proxy, make sure that the clients' addresses are known:

\`\`\`js
app.set("trust proxy", 1)
\`\`\``,
    see: "credentials.md#the-limit-on-attempts",
  },
  "access-denied": {
    title: "A sign-in was refused by the application",
    cause: "The `signIn` callback gave false, or threw an error; the cause in the log says which.",
    remedy: "Nothing, if it was meant. If it was not, look at `callbacks.signIn`: it has to give `true`.",
    see: "callbacks-and-events.md#signin",
  },
  "person-not-allowed": {
    title: "The provider's options let this person not in",
    cause: "Options such as a list of domains, tenants or teams exclude whoever came.",
    remedy: "Nothing, if it was meant. If it was not, add to the provider's list what is missing.",
    see: "oauth.md#options-of-a-provider",
  },
  "email-address-invalid": {
    title: "An address for a link is none",
    cause: "What was typed is no e-mail address, or `normalizeIdentifier` refused it.",
    remedy: "Nothing: the page asks again.",
    see: "email.md#which-addresses",
  },
  "link-invalid": {
    title: "A sign-in link is not good",
    cause: "It was used already, was replaced by a newer one, or was never sent. Each link works once.",
    remedy:
      "Nothing, when it happens now and then: people ask for a new one. If it happens to all: was the secret changed without keeping the old one, or does another process use another store?",
    see: "email.md#what-people-see",
  },
  "link-expired": {
    title: "A sign-in link is too old",
    cause: "It was opened after its time, 24 hours unless `maxAge` of the provider says otherwise.",
    remedy: "Nothing: people ask for a new one. If mails are late, look at the mail server, and compare the clocks.",
    see: "email.md#options",
  },
  "account-not-linked": {
    title: "The account belongs to somebody else here",
    cause:
      "There is a user with this e-mail address who signs in another way, or the account is linked to another user. An address alone links nothing: whoever says to have it need not own it. Or, as the message says, who is signed in now is not who was when the sign-in began: another tab was quicker, or somebody else uses the browser.",
    remedy:
      "Nothing: people sign in as they did at first, and link the account afterwards. A provider that verifies addresses can be trusted with `allowDangerousEmailAccountLinking: true`.",
    see: "accounts.md#why-an-unproved-address-has-no-power",
  },
  "flow-cookie-missing": {
    title: "A sign-in came back to a browser that has not begun it",
    cause:
      "When somebody leaves for the provider, a cookie remembers the attempt for 15 minutes. It was not there when they came back: too late, another browser, cookies are blocked, another host (`localhost` and `127.0.0.1` are two), or another secret than the one that began it.",
    remedy: `If it happens always:

- The host in the address bar is that of \`AUTH_URL\`, and of the redirect URI at the provider.
- All processes have the same \`AUTH_SECRET\`.
- Cookies are \`Secure\` only on HTTPS: is \`trust proxy\` set behind a proxy?

If two applications run on \`localhost\`, on two ports, they share their cookies: give each a host or cookie names of its own.`,
    see: "oauth.md#checks",
  },
  "flow-finished": {
    title: "A sign-in was finished already",
    cause: 'The same answer of the provider came twice: the page was reloaded, or the button "back" was used.',
    remedy: "Nothing: the person is signed in, or begins anew.",
    see: "oauth.md#checks",
  },
  "passkey-refused": {
    title: "A passkey was refused",
    cause:
      "Its answer does not verify: it is too late or was used before, it belongs to another site, or nobody here has it. The log says which.",
    remedy: "If it happens always: `AUTH_URL` is the address in the browser, and `relayingParty.id` its domain.",
    see: "passkeys.md#what-is-checked",
  },
})
