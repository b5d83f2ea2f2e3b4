import { rows } from "./row.js"

const TRUST_PROXY = `\`\`\`js
app.set("trust proxy", 1) // the number of proxies in front
\`\`\``

/** Of what the outside is like: the site as browsers find it, and what providers say of themselves. */
export const DOCTOR_SITE = rows({
  "auth-url-local": {
    title: "AUTH_URL leads to this machine",
    cause:
      "In production every link and redirect URI is made of `AUTH_URL`, and nobody else's browser comes to localhost.",
    remedy: `\`\`\`sh
AUTH_URL=https://example.com
\`\`\``,
    see: "deployment.md#the-sites-address",
  },
  "auth-url-extras": {
    title: "AUTH_URL has more than an address",
    cause: "Only scheme, host and path of it count. A query, a name, a password or white space is ignored.",
    remedy: `\`\`\`sh
AUTH_URL=https://example.com
\`\`\``,
    see: "deployment.md#the-sites-address",
  },
  "https-missing": {
    title: "The site is on http",
    cause: "In production cookies, codes and passwords would travel in the open, and cookies are not `Secure`.",
    remedy: "Have the proxy or the platform end TLS, and write `https://` in `AUTH_URL`.",
    see: "deployment.md",
  },
  "node-env-unset": {
    title: "NODE_ENV is not production on a public site",
    cause: "`AUTH_URL` is of a site that others can reach, and what development forgives is forgiven there too.",
    remedy: `\`\`\`sh
NODE_ENV=production
\`\`\``,
    see: "deployment.md",
  },
  "mount-mismatch": {
    title: "The sign-in does not answer where its links lead to",
    cause:
      "The middleware hangs at another path than the one that it makes its links for: `basePath`, or the path of `AUTH_URL`.",
    remedy: `Without a path before it, it serves \`basePath\` by itself:

\`\`\`js
app.use(authMiddleware(config))
\`\`\``,
    see: "express.md",
  },
  "wrong-origin": {
    title: "Links lead to another address than people use",
    cause: "The application makes links and redirect URIs for another host than the one that was asked.",
    remedy: `Say which address is meant:

\`\`\`sh
AUTH_URL=https://example.com
\`\`\`

or have the proxy pass the host on (\`proxy_set_header Host $http_host;\`), and trust it:

${TRUST_PROXY}`,
    see: "deployment.md#behind-a-proxy",
  },
  "forwarded-believed": {
    title: "Visitors can say where the site is",
    cause:
      "A request with X-Forwarded headers of its own got links to the host, or the scheme, that it named. Somebody could have sign-in mails sent that lead to a site of theirs.",
    remedy: `Set \`AUTH_URL\`, which no header changes. And have the proxy write these headers itself, over what visitors send; trust as many proxies as there are, never \`true\`:

${TRUST_PROXY}`,
    see: "deployment.md#behind-a-proxy",
  },
  "session-cached": {
    title: "A cache keeps the session",
    cause: "The answer of `/auth/session` came from a cache. One visitor may be shown another one's session.",
    remedy: "Exclude everything below `/auth/` from caching, in the CDN, the proxy and a service worker.",
    see: "deployment.md#behind-a-proxy",
  },
  "cache-control-stripped": {
    title: "Cache-Control is lost on the way",
    cause:
      "The application sends `Cache-Control: no-store` with the session, and it did not arrive. The next cache may keep the answer.",
    remedy: "Have the proxy leave `Cache-Control` as it is, below `/auth/` at least.",
    see: "deployment.md#behind-a-proxy",
  },
  "http-served": {
    title: "The site answers on http too",
    cause: "Somebody who comes by http is not sent on to https. What is typed there travels in the open.",
    remedy: "In the proxy: `return 301 https://$host$request_uri;`",
    see: "deployment.md",
  },
  "redirect-loop": {
    title: "One redirect follows the other",
    cause:
      "The address leads to itself. As a rule the application redirects to https, and does not know that it was asked by https already: the proxy ends TLS and is not trusted.",
    remedy: TRUST_PROXY,
    see: "deployment.md#behind-a-proxy",
  },
  "site-redirects": {
    title: "The address leads to another one",
    cause: "The site answers with a redirect: to https, or to the name with or without www.",
    remedy: "Look at the address that it leads to, and use that one in `AUTH_URL` and at the providers.",
    see: "deployment.md#the-sites-address",
  },
  "site-unreachable": {
    title: "Nothing answers at the site's address",
    cause: "The name is unknown, nobody listens, or the certificate is not accepted.",
    remedy: "What was seen says which. Is the application running, and is this the address that people use?",
    see: "doctor.md#a-running-site",
  },
  "cookie-refused": {
    title: "Browsers do not keep a cookie",
    cause:
      "A cookie came with attributes that browsers refuse on this site: `Secure` on http, a name that begins with `__Host-` beside a domain, or the domain of another site.",
    remedy:
      "Leave `cookies` and `useSecureCookies` out, and say by `AUTH_URL` or `trust proxy` what the site's address is.",
    see: "sessions.md",
  },
  "cookie-not-secure": {
    title: "Cookies are not Secure on a site on https",
    cause: "The application takes itself to be on http, and gives its cookies the names and attributes for that.",
    remedy: `Set \`AUTH_URL\` with \`https://\`, or trust the proxy that ends TLS:

${TRUST_PROXY}`,
    see: "deployment.md#behind-a-proxy",
  },
  "cookie-readable": {
    title: "Scripts can read a cookie",
    cause: "The cookie is not `HttpOnly`: a script that somebody brings into a page can take it.",
    remedy: "Leave `httpOnly` out of `cookies`.",
    see: "sessions.md",
  },
  "cookie-cross-site": {
    title: "A cookie goes along with requests of other sites",
    cause: "The cookie has `SameSite=None`, which no part of this package needs.",
    remedy: "Leave `sameSite` out of `cookies`; pages in a frame of another site are the exception.",
    see: "sessions.md",
  },
  "cookie-missing": {
    title: "Cookies are lost on the way",
    cause: "`/auth/csrf` sets a cookie, and the answer came without one: a proxy or a CDN takes `Set-Cookie` off.",
    remedy: "Exclude everything below `/auth/` from caching, and have `Set-Cookie` passed on.",
    see: "deployment.md#behind-a-proxy",
  },
  "discovery-failed": {
    title: "There is no discovery document at the issuer",
    cause:
      "Something answered at the issuer's address, and not with a discovery document. As a rule a part of the path is missing, or one too many.",
    remedy: `The issuer is what stands before \`/.well-known/openid-configuration\`, path and all:

\`\`\`sh
AUTH_KEYCLOAK_ISSUER=https://id.example.com/realms/main
\`\`\``,
    see: "oauth.md#options-of-a-provider",
  },
  "jwks-unreachable": {
    title: "The provider's keys can't be had",
    cause:
      "The address of the keys in the provider's metadata did not answer with keys: no id_token could be verified.",
    remedy: "Look at `jwks_uri` in the discovery document, from the server itself.",
    see: "oauth.md#what-is-verified",
  },
  "pkce-unsupported": {
    title: "The provider does not know PKCE with S256",
    cause:
      "The provider lists the methods of PKCE that it knows, and S256 is not among them. Most ignore what they do not know.",
    remedy: 'If sign-ins fail, leave PKCE out for this provider: `checks: ["state", "nonce"]`.',
    see: "oauth.md#options-of-a-provider",
  },
  "code-flow-unsupported": {
    title: "The provider gives no codes",
    cause: "The provider's metadata does not list the response type `code`, by which every sign-in is made.",
    remedy: "Allow the authorization code flow for this client in the provider's console.",
    see: "oauth.md",
  },
  "id-token-alg-unsupported": {
    title: "The provider signs id_tokens in no accepted way",
    cause:
      "None of the algorithms that the provider lists is accepted: those with a public key, and one with a shared key only where the client says so.",
    remedy: "Choose RS256 or ES256 for this client in the provider's console.",
    see: "oauth.md#what-is-verified",
  },
  "client-auth-unsupported": {
    title: "The provider does not list how it is told who asks",
    cause:
      "The provider's metadata lists the ways in which clients prove who they are, and the configured one is not among them.",
    remedy: `\`\`\`js
client: { token_endpoint_auth_method: "client_secret_post" }
\`\`\``,
    see: "oauth.md#options-of-a-provider",
  },
})
