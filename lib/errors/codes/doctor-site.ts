import { defineCodes } from "./define-codes.js"

const TRUST_PROXY = `\`\`\`js
app.set("trust proxy", 1) // the number of proxies in front
\`\`\``

/** Codes of the doctor about the running site and about the metadata of providers. */
export const DOCTOR_SITE = defineCodes({
  "auth-url-local": {
    title: "AUTH_URL is a loopback address",
    cause: "Links and redirect URIs use `AUTH_URL`, and other users' browsers can't reach localhost.",
    remedy: `\`\`\`sh
AUTH_URL=https://example.com
\`\`\``,
    docs: "deployment.md#the-sites-address",
  },
  "auth-url-extras": {
    title: "AUTH_URL has parts that are ignored",
    cause: "A query, a name, a password or white space is ignored. Only scheme, host and path are used.",
    remedy: `\`\`\`sh
AUTH_URL=https://example.com
\`\`\``,
    docs: "deployment.md#the-sites-address",
  },
  "https-missing": {
    title: "The site does not use HTTPS",
    cause: "In production cookies, codes and passwords would be sent unencrypted.",
    remedy: "Let the proxy or the platform terminate TLS, and write `https://` in `AUTH_URL`.",
    docs: "deployment.md",
  },
  "node-env-unset": {
    title: "NODE_ENV is not production on a public site",
    cause: "`AUTH_URL` is a public address, but the checks of development apply.",
    remedy: `\`\`\`sh
NODE_ENV=production
\`\`\``,
    docs: "deployment.md",
  },
  "mount-mismatch": {
    title: "The sign-in does not answer where its links lead",
    cause: "The middleware is mounted at another path than `basePath` or the path of `AUTH_URL`, which its links use.",
    remedy: `Mount it without a path:

\`\`\`js
app.use(authMiddleware(config))
\`\`\``,
    docs: "express.md",
  },
  "wrong-origin": {
    title: "Links lead to an address that users do not visit",
    cause: "Links and redirect URIs have another host than the one that was requested.",
    remedy: `Set the address:

\`\`\`sh
AUTH_URL=https://example.com
\`\`\`

or let the proxy pass the host on (\`proxy_set_header Host $http_host;\`), and trust it:

${TRUST_PROXY}`,
    docs: "deployment.md#behind-a-proxy",
  },
  "forwarded-headers-trusted": {
    title: "Visitors can change the site's address",
    cause:
      "Forged X-Forwarded headers changed the host or the scheme of links. An attacker could request emails whose links lead to another site.",
    remedy: `Set \`AUTH_URL\`. Let the proxy overwrite these headers. Set \`trust proxy\` to the exact number of proxies, never to \`true\`:

${TRUST_PROXY}`,
    docs: "deployment.md#behind-a-proxy",
  },
  "session-cached": {
    title: "A cache stores the session",
    cause: "The response of `/auth/session` came from a cache. A visitor may get the session of another user.",
    remedy: "Exclude everything below `/auth/` from caching, in the CDN, the proxy and a service worker.",
    docs: "deployment.md#behind-a-proxy",
  },
  "cache-control-stripped": {
    title: "Cache-Control is removed on the way",
    cause: "The `Cache-Control: no-store` of the session's response did not arrive, so a cache may store the response.",
    remedy: "Let the proxy keep `Cache-Control`, at least below `/auth/`.",
    docs: "deployment.md#behind-a-proxy",
  },
  "http-served": {
    title: "The site also answers over http",
    cause: "A request over http is not redirected to https, so passwords typed there are sent unencrypted.",
    remedy: "Redirect in the proxy: `return 301 https://$host$request_uri;`",
    docs: "deployment.md",
  },
  "redirect-loop": {
    title: "The address redirects in a loop",
    cause:
      "Usually the application redirects to https and does not know that the request came over https: the proxy that terminates TLS is not trusted.",
    remedy: TRUST_PROXY,
    docs: "deployment.md#behind-a-proxy",
  },
  "site-redirects": {
    title: "The address redirects to another one",
    cause: "The site redirects: to https, or to the name with or without www.",
    remedy: "Use the final address in `AUTH_URL` and at the providers.",
    docs: "deployment.md#the-sites-address",
  },
  "site-unreachable": {
    title: "The site can't be reached",
    cause: "The name is unknown, no server listens, or the certificate is invalid.",
    remedy: "The finding states which. Check that the application runs, and that users visit this address.",
    docs: "doctor.md#a-running-site",
  },
  "cookie-refused": {
    title: "Browsers refuse a cookie",
    cause:
      "A cookie has attributes that browsers refuse here: `Secure` over http, a `__Host-` name with a domain, or the domain of another site.",
    remedy: "Leave `cookies` and `useSecureCookies` out, and set the site's address by `AUTH_URL` or `trust proxy`.",
    docs: "sessions.md",
  },
  "cookie-not-secure": {
    title: "Cookies are not Secure on an https site",
    cause: "The application thinks it is served over http.",
    remedy: `Set \`AUTH_URL\` with \`https://\`, or trust the proxy that terminates TLS:

${TRUST_PROXY}`,
    docs: "deployment.md#behind-a-proxy",
  },
  "cookie-readable": {
    title: "Scripts can read a cookie",
    cause: "The cookie is not `HttpOnly`, so an injected script can read it.",
    remedy: "Leave `httpOnly` out of `cookies`.",
    docs: "sessions.md",
  },
  "cookie-cross-site": {
    title: "A cookie is sent with requests from other sites",
    cause: "The cookie has `SameSite=None`, which this package never needs.",
    remedy: "Leave `sameSite` out of `cookies`, unless your pages are in a frame of another site.",
    docs: "sessions.md",
  },
  "cookie-missing": {
    title: "Cookies are removed on the way",
    cause: "A proxy or a CDN removes the `Set-Cookie` of `/auth/csrf`.",
    remedy: "Exclude everything below `/auth/` from caching, and let `Set-Cookie` pass.",
    docs: "deployment.md#behind-a-proxy",
  },
  "discovery-failed": {
    title: "There is no discovery document at the issuer",
    cause: "The issuer's address returned no discovery document. Usually the path is incomplete or too long.",
    remedy: `The issuer is the part before \`/.well-known/openid-configuration\`, with the path:

\`\`\`sh
AUTH_KEYCLOAK_ISSUER=https://id.example.com/realms/main
\`\`\``,
    docs: "oauth.md#options-of-a-provider",
  },
  "jwks-unreachable": {
    title: "The provider's keys can't be loaded",
    cause: "The provider's `jwks_uri` returned no keys, so no id_token could be verified.",
    remedy: "Open the `jwks_uri` of the discovery document from the server itself.",
    docs: "oauth.md#what-is-verified",
  },
  "pkce-unsupported": {
    title: "The provider does not list PKCE with S256",
    cause: "S256 is not among the PKCE methods that the provider lists. Most providers ignore unknown parameters.",
    remedy: 'If sign-ins fail, leave PKCE out for this provider: `checks: ["state", "nonce"]`.',
    docs: "oauth.md#options-of-a-provider",
  },
  "code-flow-unsupported": {
    title: "The provider does not support the code flow",
    cause: "The provider's metadata does not list the response type `code`.",
    remedy: "Allow the authorization code flow for this client in the provider's console.",
    docs: "oauth.md",
  },
  "id-token-alg-unsupported": {
    title: "The provider signs id_tokens with no accepted algorithm",
    cause:
      "The provider lists no accepted algorithm. Those with a public key are accepted, and one with a shared key if the client configures it.",
    remedy: "Choose RS256 or ES256 for this client in the provider's console.",
    docs: "oauth.md#what-is-verified",
  },
  "client-auth-unsupported": {
    title: "The provider does not list the client authentication method",
    cause: "The configured client authentication method is not among those that the provider lists.",
    remedy: `\`\`\`js
client: { token_endpoint_auth_method: "client_secret_post" }
\`\`\``,
    docs: "oauth.md#options-of-a-provider",
  },
})
