import { createHash } from "node:crypto"
import { type Html, html } from "../html.js"

/** An HTTP response of the provider. */
export interface ProviderResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Tokens and claims must not be cached (RFC 6749 §5.1). */
const NO_STORE = { "cache-control": "no-store" }

export const json = (body: unknown, status = 200, headers: ProviderResponse["headers"] = {}): ProviderResponse => ({
  status,
  headers: { "content-type": "application/json", ...NO_STORE, ...headers },
  body: JSON.stringify(body),
})

export const redirect = (location: string, headers: ProviderResponse["headers"] = {}): ProviderResponse => ({
  status: 303,
  headers: { location, ...NO_STORE, ...headers },
})

const hashSource = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

export interface PageParts {
  readonly title: string
  readonly body: Html
  readonly style: string
  readonly script?: string
}

/** Returns a page that loads nothing, runs only the given script, and cannot be framed. */
export function page({ title, body, style, script }: PageParts, status = 200): ProviderResponse {
  const policy = [
    ...["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "img-src data:"],
    `style-src ${hashSource(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashSource(script)}`]),
  ]
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Development provider</title>
<link rel="icon" href="data:,">
<style>${html.trusted(style)}</style>
</head>
<body>
<main>
<p class="where">Development provider</p>
${body}
</main>
${script === undefined ? undefined : html`<script>${html.trusted(script)}</script>`}
</body>
</html>
`
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    // Other sites do not get the URL of an authorization request as referrer. The forms of the page still send their
    // origin.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    ...NO_STORE,
  }
  return { status, headers, body: text }
}
