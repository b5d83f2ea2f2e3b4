import { defineCodes } from "./define-codes.js"

/** Codes about the site's address, in the configuration and in requests. */
export const ADDRESSES = defineCodes({
  "untrusted-host": {
    title: "The site's address is unknown",
    cause:
      "In production neither `AUTH_URL` nor `trustHost` names the site's address, so the application does not start. Any client can set the `Host` header, and links with codes would lead there.",
    remedy: `Set the address:

\`\`\`sh
AUTH_URL=https://example.com
\`\`\`

Or list several hosts:

\`\`\`js
authMiddleware({ trustHost: ["example.com", "*.example.com"] })
\`\`\``,
    docs: "deployment.md#the-sites-address",
  },
  "any-host-trusted": {
    title: "The host of every request is trusted in production",
    cause:
      "`trustHost: true` or `AUTH_TRUST_HOST=true` is set without `AUTH_URL`. Where a proxy passes `Host` or `X-Forwarded-Host` on, a visitor can name any host, and the email link of another user then leads there.",
    remedy: `Set \`AUTH_URL\`, or list several hosts. A request for another host gets 400:

\`\`\`js
authMiddleware({ trustHost: ["example.com", "*.example.com"] })
\`\`\``,
    docs: "deployment.md#the-sites-address",
  },
  "trusted-host-invalid": {
    title: "An entry of trustHost is not a host",
    cause: "`trustHost` is an empty list, or has an entry that is not a host: a URL, a path or a lone `*`.",
    remedy: `Write hosts without a scheme. Add the port if it is not the default one. \`*.\` matches one label:

\`\`\`js
authMiddleware({ trustHost: ["example.com", "*.example.com", "localhost:3000"] })
\`\`\``,
    docs: "configuration.md#trusthost",
  },
  "host-not-listed": {
    title: "A request's host is not listed in trustHost",
    cause:
      "The host of the request (`X-Forwarded-Host` with `trust proxy`) matches no entry of `trustHost`, so the response was 400.",
    remedy: `If the host is yours, add it:

\`\`\`js
authMiddleware({ trustHost: ["example.com", "www.example.com"] })
\`\`\`

Otherwise a visitor forged it. Let the proxy overwrite or remove \`X-Forwarded-Host\`.`,
    docs: "deployment.md#behind-a-proxy",
  },
  "untrusted-proxy": {
    title: "Express does not trust the proxy in front of it",
    cause:
      "Requests have headers of proxies (such as `X-Forwarded-For`, `Forwarded` or `Via`), but `trust proxy` is off. Clients' addresses are then unknown, so limits per client do not apply. Without `AUTH_URL` the site also appears to be on `http:`, and links, redirect URIs and cookies are wrong.",
    remedy: `Set the number of proxies:

\`\`\`js
app.set("trust proxy", 1)
\`\`\`

Without a proxy the headers come from the client, and nothing needs to be done.`,
    docs: "deployment.md#behind-a-proxy",
  },
  "other-host": {
    title: "Users visit a host other than the host of AUTH_URL",
    cause:
      "Links and cookies belong to the host of `AUTH_URL`. A user who visits another host is signed in only on that of `AUTH_URL`.",
    remedy: `Redirect the other host, or correct \`AUTH_URL\`. \`localhost\` and \`127.0.0.1\` are two hosts.

\`\`\`sh
AUTH_URL=http://localhost:3000
\`\`\``,
    docs: "deployment.md#the-sites-address",
  },
  "auth-url-invalid": {
    title: "AUTH_URL is not the address of a site",
    cause: "The variable `AUTH_URL` is not a URL with `http:` or `https:`.",
    remedy: `Write the scheme, and no path of a sign-in page:

\`\`\`sh
AUTH_URL=https://example.com
\`\`\``,
    docs: "deployment.md#the-sites-address",
  },
  "env-url-basepath-mismatch": {
    title: "AUTH_URL and basePath have different paths",
    cause: "Both set the path of the sign-in, and they differ. `basePath` takes precedence.",
    remedy: "Remove the path from `AUTH_URL`, or the option from the configuration.",
    docs: "configuration.md#basepath-prefix",
  },
  "env-url-basepath-redundant": {
    title: "AUTH_URL has a path, and basePath is set too",
    cause: "Both set the path of the sign-in. `basePath` takes precedence.",
    remedy: "Remove the path from `AUTH_URL`, or the option from the configuration.",
    docs: "configuration.md#basepath-prefix",
  },
  "base-path-invalid": {
    title: "The base path is invalid",
    cause: "`basePath` has a query, a fragment, a space, a backslash or two slashes in a row.",
    remedy: `\`\`\`js
authMiddleware({ basePath: "/auth" })
\`\`\``,
    docs: "configuration.md#basepath-prefix",
  },
  "base-path-twice": {
    title: "The base path is set twice",
    cause: "`prefix` and `basePath` are two names of one option, and their values differ.",
    remedy: "Set only one, or none if the middleware is mounted at its path in Express.",
    docs: "configuration.md#basepath-prefix",
  },
  "redirect-proxy-secret-shared": {
    title: "The redirect proxy shares the session secret",
    cause:
      "`AUTH_REDIRECT_PROXY_SECRET` is missing, or is also the session secret. Every deployment then has the secret of the others: a session of a preview deployment is valid in production.",
    remedy: `Create one secret for the proxy on all deployments, and give each deployment its own \`AUTH_SECRET\`:

\`\`\`sh
AUTH_REDIRECT_PROXY_SECRET=…
\`\`\``,
    docs: "oauth.md#a-redirect-proxy",
  },
  "redirect-proxy-origins-missing": {
    title: "The redirect proxy has no list of deployments",
    cause:
      "`redirectProxyUrl` is or may be this site, and `redirectProxyOrigins` is missing, so no response is forwarded. Otherwise a deployment that trusts a forged `Host` header could send codes to any origin. If `AUTH_URL` shows that this site is the proxy, it does not start.",
    remedy: `List the deployments, on all of them alike. \`*\` matches one label:

\`\`\`js
authMiddleware({ redirectProxyOrigins: ["https://*.preview.example.com"] })
\`\`\``,
    docs: "oauth.md#a-redirect-proxy",
  },
  "redirect-proxy-origin-invalid": {
    title: "An entry of redirectProxyOrigins is not an origin",
    cause:
      "An entry has a scheme, a host and at most a port: no path, no trailing slash, lower case. Its first label may contain one `*`, if a domain of two labels or `localhost` follows.",
    remedy: `\`\`\`js
authMiddleware({ redirectProxyOrigins: ["https://app.example.com", "https://*.preview.example.com"] })
\`\`\``,
    docs: "configuration.md#redirectproxyorigins",
  },
  "redirect-proxy-url-invalid": {
    title: "The address of the redirect proxy is invalid",
    cause: "`redirectProxyUrl` or `AUTH_REDIRECT_PROXY_URL` is not a URL.",
    remedy: `\`\`\`js
authMiddleware({ redirectProxyUrl: "https://auth.example.com/auth" })
\`\`\``,
    docs: "oauth.md#a-redirect-proxy",
  },
  "host-invalid": {
    title: "A request has no valid host",
    cause:
      "The `Host` header (`X-Forwarded-Host` if a proxy is trusted) is not a host, or over HTTP/2 differs from `:authority`.",
    remedy: "If all requests are affected, check what the proxy sends.",
    docs: "deployment.md#behind-a-proxy",
  },
})
