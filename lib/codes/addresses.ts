import { rows } from "./row.js"

/** Of where the site is, by its configuration and by its requests. */
export const ADDRESSES = rows({
  "untrusted-host": {
    title: "The site's address is not known",
    cause:
      "In production neither `AUTH_URL` nor `trustHost` names the site's address, and the application does not start. The request's own `Host` header is not believed: anybody can send one, and links with codes in them would lead there.",
    remedy: `Say it:

\`\`\`sh
AUTH_URL=https://example.com
\`\`\`

A site with several addresses lists its hosts:

\`\`\`js
authMiddleware({ trustHost: ["example.com", "*.example.com"] })
\`\`\``,
    see: "deployment.md#the-sites-address",
  },
  "any-host-trusted": {
    title: "The host of every request is trusted in production",
    cause:
      "`trustHost: true` or `AUTH_TRUST_HOST=true` is set, and `AUTH_URL` is not. Links are made for the host that a request names. A visitor can name any host where a proxy passes `Host` or `X-Forwarded-Host` on, and then the sign-in link in another user's email leads there.",
    remedy: `Set \`AUTH_URL\`. A site with several addresses lists its hosts, and a request for another host gets 400:

\`\`\`js
authMiddleware({ trustHost: ["example.com", "*.example.com"] })
\`\`\``,
    see: "deployment.md#the-sites-address",
  },
  "trusted-host-invalid": {
    title: "An entry of trustHost is no host",
    cause: "`trustHost` is an empty list, or has an entry that is not a host: a URL, a path or a lone `*`.",
    remedy: `Write hosts without a scheme. A port that is not the default one belongs to the host, and \`*.\` stands for one label:

\`\`\`js
authMiddleware({ trustHost: ["example.com", "*.example.com", "localhost:3000"] })
\`\`\``,
    see: "configuration.md#trusthost",
  },
  "host-not-listed": {
    title: "A request asks for a host that trustHost does not list",
    cause:
      "The host of the request is in no entry of `trustHost`, so it was answered with 400. With `trust proxy` the host is that of `X-Forwarded-Host`.",
    remedy: `If the host is yours, add it:

\`\`\`js
authMiddleware({ trustHost: ["example.com", "www.example.com"] })
\`\`\`

Otherwise a visitor has sent a header of their own. Let the proxy overwrite or remove \`X-Forwarded-Host\`.`,
    see: "deployment.md#behind-a-proxy",
  },
  "untrusted-proxy": {
    title: "A proxy is in front, and it is not trusted",
    cause:
      "Requests have headers that proxies add (`X-Forwarded-For`, `Forwarded`, `Via` and the like), and Express trusts no proxy. The clients' addresses are then unknown, so the limits per client do not apply. Without `AUTH_URL` the site is also taken to be plain `http:`, and links, redirect URIs and cookies come out wrong.",
    remedy: `If there is a proxy, say how many there are:

\`\`\`js
app.set("trust proxy", 1)
\`\`\`

Without a proxy the headers come from the client itself, and the warning needs no action.`,
    see: "deployment.md#behind-a-proxy",
  },
  "other-host": {
    title: "People come by another host than that of AUTH_URL",
    cause:
      "Every link is made for the host of `AUTH_URL`, and cookies belong to one host: whoever comes by another one is signed in there and not here.",
    remedy: `Redirect the other host to the right one, or correct \`AUTH_URL\`. On this machine \`localhost\` and \`127.0.0.1\` are two hosts.

\`\`\`sh
AUTH_URL=http://localhost:3000
\`\`\``,
    see: "deployment.md#the-sites-address",
  },
  "auth-url-invalid": {
    title: "AUTH_URL is no address of a site",
    cause: "The variable `AUTH_URL` is set to something that is no URL with `http:` or `https:`.",
    remedy: `Write it with its scheme, and without the path of an action:

\`\`\`sh
AUTH_URL=https://example.com
\`\`\``,
    see: "deployment.md#the-sites-address",
  },
  "env-url-basepath-mismatch": {
    title: "AUTH_URL has another path than basePath",
    cause: "Both say below which path the sign-in is, and they differ. `basePath` counts.",
    remedy: "Take the path out of `AUTH_URL`, or the option out of the configuration.",
    see: "configuration.md#basepath-prefix",
  },
  "env-url-basepath-redundant": {
    title: "AUTH_URL has a path, and basePath is set too",
    cause: "Both say below which path the sign-in is. `basePath` counts.",
    remedy: "Take the path out of `AUTH_URL`, or the option out of the configuration.",
    see: "configuration.md#basepath-prefix",
  },
  "base-path-invalid": {
    title: "The base path is no path",
    cause: "`basePath` has a query, a fragment, a space, a backslash or two slashes in a row.",
    remedy: `\`\`\`js
authMiddleware({ basePath: "/auth" })
\`\`\``,
    see: "configuration.md#basepath-prefix",
  },
  "base-path-twice": {
    title: "The base path is given twice",
    cause: "`prefix` and `basePath` are two names of one option, and they differ.",
    remedy: "Write one of them; in Express neither is needed where the middleware is mounted with its path.",
    see: "configuration.md#basepath-prefix",
  },
  "redirect-proxy-secret-shared": {
    title: "The redirect proxy shares the secret of the sessions",
    cause:
      "`redirectProxyUrl` is used without `AUTH_REDIRECT_PROXY_SECRET`, or with one that is also the secret of the sessions. Every deployment behind the proxy has the secret of the others then: a session of a preview, whose sign-in is for development, is valid in production.",
    remedy: `Make a secret for the proxy, the same on all deployments, and give each deployment an \`AUTH_SECRET\` of its own:

\`\`\`sh
AUTH_REDIRECT_PROXY_SECRET=…
\`\`\``,
    see: "oauth.md#a-redirect-proxy",
  },
  "redirect-proxy-origins-missing": {
    title: "The redirect proxy has no list of deployments",
    cause:
      "`redirectProxyUrl` is this site, or may be, and `redirectProxyOrigins` is missing. No answer is handed on: a deployment that believes a forged `Host` header could name any origin, and the code would go there. Where `AUTH_URL` shows that this site is the proxy, it does not start.",
    remedy: `List the deployments. The list may be the same on all of them, and \`*\` stands for one label:

\`\`\`js
authMiddleware({ redirectProxyOrigins: ["https://*.preview.example.com"] })
\`\`\``,
    see: "oauth.md#a-redirect-proxy",
  },
  "redirect-proxy-origin-invalid": {
    title: "An entry of redirectProxyOrigins is no origin",
    cause:
      "An entry is a scheme, a host and a port at most: no path, no trailing slash, lower case. Its first label may have one `*`, with a domain of two labels or `localhost` behind it.",
    remedy: `\`\`\`js
authMiddleware({ redirectProxyOrigins: ["https://app.example.com", "https://*.preview.example.com"] })
\`\`\``,
    see: "configuration.md#redirectproxyorigins",
  },
  "redirect-proxy-url-invalid": {
    title: "The address of the redirect proxy is none",
    cause: "`redirectProxyUrl` or `AUTH_REDIRECT_PROXY_URL` is no URL.",
    remedy: `\`\`\`js
authMiddleware({ redirectProxyUrl: "https://auth.example.com/auth" })
\`\`\``,
    see: "oauth.md#a-redirect-proxy",
  },
  "host-invalid": {
    title: "A request has no valid host",
    cause:
      "Its `Host` header, or `X-Forwarded-Host` where a proxy is trusted, is no host. Or, over HTTP/2, `Host` differs from `:authority`.",
    remedy: "Nothing, when strangers send it. If it happens to everybody, look at what the proxy in front sends.",
    see: "deployment.md#behind-a-proxy",
  },
})
