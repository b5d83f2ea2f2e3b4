/**
 * The intended differences from `@auth/express` that an application can observe. `npm run docs:differences` writes them
 * to the tables in `docs/differences.md`.
 *
 * @module
 */
import { ABSENT, type FactPair } from "./support/observe.js"

/** The headings of the tables, in the order of the page. */
export const SECTIONS = [
  "Setup",
  "Paths and methods",
  "Requests and responses",
  "Return URLs and failures",
  "OAuth and OpenID Connect",
  "Email links",
  "Credentials",
  "Sessions",
  "Users and accounts",
] as const

export interface Difference {
  readonly section: (typeof SECTIONS)[number]
  /** What `@auth/express` does. */
  readonly authjs: string
  /** What latchkey does. */
  readonly latchkey: string
  /** The facts of a response that differ. A difference without `shows` has its own test. */
  readonly shows?: readonly Sign[]
}

/** A fact, and its values on both sides. */
export interface Sign {
  readonly fact: RegExp
  readonly authjs: RegExp
  readonly latchkey: RegExp
}

const NOTHING = new RegExp(`^${ABSENT}$`)
const sign = (fact: RegExp, authjs: RegExp, latchkey: RegExp): Sign => ({ fact, authjs, latchkey })

const CONFIGURATION = /\/(error|oops)\?error=Configuration$/
const CALLBACK_ERROR = /\/(signin|login)\?error=OAuthCallbackError(&callbackUrl=\S+)?$/
const JSON_TYPE = /^application\/json$/
const PAGE_TYPE = /^text\/html$/
const LOCATION = /^(\d\. )?(location|url)$/
const SESSION = /^(\d\. )?cookie (__Secure-)?authjs\.session-token$/
const CLEARED = /^nothing; /

/** A direct response where Auth.js redirects to its page for configuration errors or responds "Bad request.". */
const direct = (status: RegExp, words: RegExp): Sign[] => [
  sign(/^status$/, /^(302|400|200)$/, status),
  sign(/^body$/, /^(-|"Bad request\.")$/, words),
  sign(/^type$/, /^(-|application\/json)$/, /^(application\/json|text\/html)$/),
  sign(/^title$/, NOTHING, /^Error$/),
  sign(/^location$/, CONFIGURATION, NOTHING),
]

export const DIFFERENCES = {
  "unknown-path": {
    section: "Paths and methods",
    authjs: 'Responds 400 `"Bad request."` to unknown paths below its mount path',
    latchkey: "Calls `next()`, so the application's own routes or 404 page respond",
    shows: [
      sign(/^status$/, /^400$/, /^404$/),
      sign(/^body$/, /^"Bad request\."$/, NOTHING),
      sign(/^type$/, JSON_TYPE, PAGE_TYPE),
      sign(/^title$/, NOTHING, /^Error$/),
    ],
  },
  "literal-path": {
    section: "Paths and methods",
    authjs: "Serves `/auth//csrf` and `/auth/csrf//` as `/auth/csrf`",
    latchkey: "Allows at most one trailing slash, and treats the other forms as an `unknown-path`",
    shows: [
      sign(/^status$/, /^200$/, /^404$/),
      sign(/^body(\.|$)/, /./, /./),
      sign(/^cookie authjs\.(csrf-token|callback-url)$/, /./, NOTHING),
      sign(/^type$/, JSON_TYPE, PAGE_TYPE),
      sign(/^title$/, NOTHING, /^Error$/),
    ],
  },
  "wrong-method": {
    section: "Paths and methods",
    authjs: 'Responds 400 `"Bad request."` or redirects to `error?error=Configuration`',
    latchkey: "Responds 405 with `Allow` (RFC 9110 §15.5.6)",
    shows: direct(/^405$/, /^(-|"Method not allowed\.")$/),
  },
  "unknown-provider": {
    section: "Paths and methods",
    authjs: "Redirects to `error?error=Configuration` and logs the ids of all providers",
    latchkey: "Responds 404 and logs no error",
    shows: [...direct(/^404$/, /^(-|"Not found\.")$/), sign(/^url$/, CONFIGURATION, /\/error\?error=BadRequest$/)],
  },
  head: {
    section: "Paths and methods",
    authjs: "Responds to HEAD with 400",
    latchkey: "Handles HEAD like GET, but without a body or side effects (RFC 9110 §9.3.2)",
    shows: [sign(/^(\d\. )?status$/, /^400$/, /^(200|403)$/), sign(/^(\d\. )?type$/, JSON_TYPE, /^(text\/html|-)$/)],
  },
  "malformed-body": {
    section: "Requests and responses",
    authjs: "Passes invalid JSON to the error handler, and treats JSON that is not an object as an empty body",
    latchkey: 'Responds 400 `"Bad request."` in both cases',
    shows: [sign(/^body$/, /^(\{"error":"internal error"\}|null)$/, /^"Bad request\."$/)],
  },
  "body-size": {
    section: "Requests and responses",
    authjs: "Accepts up to 100 kB, and passes larger bodies to the error handler",
    latchkey:
      "Accepts up to 64 kB within 10 seconds, and otherwise responds 413 or 408. Does not limit a body that the application has parsed",
    shows: [
      ...direct(/^413$/, /^"Content too large\."$/),
      sign(/^body$/, /^\{"error":"internal error"\}$/, /^"Content too large\."$/),
      sign(/^location$/, /^http:\/\/app\.test$/, NOTHING),
    ],
  },
  multipart: {
    section: "Requests and responses",
    authjs: "Treats a multipart body as empty, so the CSRF token is missing",
    latchkey: "Responds 415",
    shows: [
      ...direct(/^415$/, /^"Unsupported media type\."$/),
      sign(/^location$/, /\/signin\?error=MissingCSRF$/, NOTHING),
    ],
  },
  "json-mode-location": {
    section: "Requests and responses",
    authjs: "In JSON mode (`X-Auth-Return-Redirect`), adds the header `Location` to the response only after a success",
    latchkey: "Sends `Location` after a failure too",
    shows: [sign(/^location$/, NOTHING, /^http:\/\/app\.test\//)],
  },
  "page-address": {
    section: "Requests and responses",
    authjs:
      "Appends `?error=…` to page URLs as text, which can produce a second `?`, unencoded values or `error=undefined`",
    latchkey: "Parses the URL, encodes values, and omits parameters without a value",
    shows: [
      sign(LOCATION, /\?[^?]*\?error=/, /\?[^?]*&error=[^?]*$/),
      sign(LOCATION, /\/oops\?error=undefined$/, /\/oops$/),
      sign(LOCATION, /\/oops\?error=a b&c=d$/, /\/oops\?error=a\+b%26c%3Dd$/),
    ],
  },
  "absolute-location": {
    section: "Requests and responses",
    authjs:
      "If a page in `pages` or the result of the `redirect` callback is a path, sends the path unchanged in `Location`",
    latchkey: "Converts a path to an absolute URL",
    shows: [
      sign(LOCATION, /^\/(?!\/)/, /^http:\/\/app\.test\/(?!\/)/),
      sign(/^cookie authjs\.callback-url$/, /^\/always; /, /^http:\/\/app\.test\/always; /),
    ],
  },
  "cross-site": {
    section: "Requests and responses",
    authjs: "Checks only the CSRF token",
    latchkey:
      "Also rejects each POST from another site, except `form_post` responses. Checks `Sec-Fetch-Site`, or else `Origin`",
    shows: [sign(/^location$/, /^http:\/\/app\.test$/, /\/signin\?error=MissingCSRF$/)],
  },
  "sign-out-landing": {
    section: "Paths and methods",
    authjs: "Redirects a sign-out to the return URL of the sign-in",
    latchkey: "Redirects a sign-out to the front page, unless the form has a return URL",
  },
  "continued-by-page": {
    section: "Paths and methods",
    authjs: "Responds 302 to a form at `/signin/:provider` or `/signout`, even if the redirect leads to another origin",
    latchkey:
      "If the redirect leads to another origin, responds with a page that navigates there. Scripts and older browsers get a 302",
  },
  "unknown-address": {
    section: "Paths and methods",
    authjs: "Starts in production without `AUTH_URL` and `trustHost`, but rejects every request",
    latchkey: "`authMiddleware` throws at startup. The function `Auth` rejects every request",
  },
  "untrusted-host": {
    section: "Paths and methods",
    authjs: "Redirects to `pages.error` on the untrusted host",
    latchkey: "Responds 500 with the built-in error page, which does not contain the host",
    shows: [
      sign(/^status$/, /^302$/, /^500$/),
      sign(/^location$/, CONFIGURATION, NOTHING),
      sign(/^title$/, NOTHING, /^Error$/),
      sign(/^type$/, NOTHING, PAGE_TYPE),
    ],
  },
  "session-cookies": {
    section: "Sessions",
    authjs: "Sets the CSRF and callback-url cookies at every path",
    latchkey:
      "Sets the CSRF cookie only with a token or form, and the callback-url cookie only at paths that use a return URL",
    shows: [sign(/^cookie (__Host-|__Secure-)?authjs\.(csrf-token|callback-url)$/, /./, NOTHING)],
  },
  "csrf-renewal": {
    section: "Return URLs and failures",
    authjs: "Never changes a browser's CSRF token",
    latchkey: "Changes the token at sign-in and sign-out. A form that was loaded earlier then fails with `MissingCSRF`",
    shows: [sign(/^(\d\. )?cookie (__Host-)?authjs\.csrf-token$/, NOTHING, /^<csrf of the secret>; /)],
  },
  "redirect-callback-calls": {
    section: "Return URLs and failures",
    authjs: "Calls the `redirect` callback on every request that has a `callbackUrl` or its cookie",
    latchkey: "Calls it only at paths that use a return URL, such as sign-in, callback and sign-out",
    shows: [sign(/^call redirect\(/, /^\d$/, /^(\d|-)$/)],
  },
  "undefined-option": {
    section: "Setup",
    authjs: "Replaces the default of an option with `undefined`: `session: { maxAge: undefined }` ends all sessions",
    latchkey: "Keeps the default of an `undefined` option",
    shows: [sign(/^body$/, /^null$/, /"name":"Ada"/), sign(SESSION, NOTHING, /^sealed /)],
  },
  "session-size": {
    section: "Sessions",
    authjs: "Stores a session of any size, split into many cookies",
    latchkey:
      "Rejects a sign-in if the cookies of the session, the CSRF token and the return URL exceed 7168 bytes (`session.maxCookieSize`, up to 16384). Accepts existing larger sessions of `@auth/express`",
    shows: [
      sign(/^location$/, /^http:\/\/app\.test$/, /error=Configuration$/),
      sign(/^cookie authjs\.session-token\.\d$/, /./, NOTHING),
    ],
  },
  "session-cookie-name": {
    section: "Sessions",
    authjs: "Joins the values of all cookies whose names start with the name of the session cookie",
    latchkey:
      "Reads the cookie itself, or its chunks `.0`, `.1`, …, whichever is valid. Treats the browser as signed out if both are valid for different users",
    shows: [
      sign(/^body$/, /^null$/, /"name":"Ada"/),
      sign(/^body$/, /"name":"Ada"/, /^null$/),
      sign(SESSION, CLEARED, /^sealed /),
      sign(SESSION, /^sealed /, NOTHING),
      sign(/^cookie authjs\.session-token-other$/, CLEARED, NOTHING),
    ],
  },
  "empty-cookie": {
    section: "Sessions",
    authjs: "Keeps an empty session cookie",
    latchkey: "Clears an empty session cookie",
    shows: [sign(SESSION, NOTHING, CLEARED)],
  },
  "application-errors": {
    section: "Sessions",
    authjs: "Signs the user out (200) if the `jwt` or `session` callback throws",
    latchkey: "Passes the exception to the error handler (`next(err)`, 500) and keeps the cookie",
    shows: [
      sign(/^status$/, /^200$/, /^500$/),
      sign(/^body$/, /^null$/, /^\{"error":"internal error"\}$/),
      sign(SESSION, CLEARED, NOTHING),
    ],
  },
  "form-callback-url": {
    section: "Requests and responses",
    authjs: "Adds the query's `callbackUrl` as a field to OAuth forms only, without checking it",
    latchkey: "Adds the validated return URL as a field to each form",
    shows: [
      sign(/^form \d field callbackUrl$/, /./, /^https?:\/\/(app\.test|partner\.test)/),
      sign(/^form 1$/, /\/signout\?callbackUrl=\/bye$/, /\/signout$/),
    ],
  },
  "signin-page-of-provider": {
    section: "Paths and methods",
    authjs: "Redirects `GET /signin/github` to `error?error=Configuration`",
    latchkey: "Shows the sign-in page",
    shows: [
      sign(/^status$/, /^302$/, /^200$/),
      sign(/^location$/, CONFIGURATION, NOTHING),
      sign(/^title$/, NOTHING, /^Sign In$/),
      sign(/^type$/, NOTHING, PAGE_TYPE),
      sign(/^form \d/, NOTHING, /./),
      sign(/^cookie authjs\.(csrf-token|callback-url)$/, NOTHING, /./),
    ],
  },
  "query-props": {
    section: "Requests and responses",
    authjs:
      "Lets the query of the sign-in page override values of the page, such as `csrfToken` and `theme`. `?providers=` crashes the page",
    latchkey: "Shows only two values of the query: `email`, and the message for a known `error`",
    shows: [
      sign(/^status$/, /^302$/, /^200$/),
      sign(/^location$/, CONFIGURATION, NOTHING),
      sign(/^title$/, NOTHING, /^Sign In$/),
      sign(/^type$/, NOTHING, PAGE_TYPE),
      sign(/^form \d$/, NOTHING, /^POST /),
      sign(/^form \d field callbackUrl$/, NOTHING, /^http:\/\/app\.test$/),
      sign(/^form \d field csrfToken$/, /^(-|x)$/, /^<hex64>$/),
      sign(/^cookie authjs\.(csrf-token|callback-url)$/, NOTHING, /./),
    ],
  },
  "callback-url-form": {
    section: "Return URLs and failures",
    authjs:
      "Stores a `callbackUrl` on the site unchanged, even `//evil.test`, `/\\evil.test`, `/ü` and URLs with credentials",
    latchkey: "Normalises the URL as browsers do. Stores the front page instead of a URL with credentials",
    shows: [
      sign(
        /^cookie authjs\.callback-url$/,
        /^http:\/\/(app\.test\/[^;]*|ada:pw@app\.test\/); /,
        /^http:\/\/app\.test(\/(evil\.test(\/cart)?|%C3%BC\?q=%C3%9F))?; /,
      ),
    ],
  },
  "bad-callback-url": {
    section: "Return URLs and failures",
    authjs:
      "Responds 500 if the query or the cookie contains an invalid `callbackUrl`, and redirects to `error=Configuration` if the body does",
    latchkey:
      "At paths that use a return URL, responds 400 to an invalid `callbackUrl` in the query. Ignores it in all other cases",
    shows: [
      sign(/^status$/, /^500$/, /^(400|200)$/),
      sign(/^body$/, /problem with the server configuration/, /^null$/),
      sign(/^title$/, /^Error$/, /^Sign In$/),
      sign(/^form \d/, NOTHING, /./),
      sign(/^cookie authjs\.(csrf-token|callback-url)$/, NOTHING, /./),
      sign(/^location$/, CONFIGURATION, /^http:\/\/op\.test\/authorize$/),
      sign(
        /^location \?(client_id|code_challenge|code_challenge_method|redirect_uri|response_type|scope)$/,
        NOTHING,
        /./,
      ),
    ],
  },
  "default-checks": {
    section: "OAuth and OpenID Connect",
    authjs: "Uses only `pkce` if a provider sets no `checks`",
    latchkey: "Uses `pkce` and `state`, and with OpenID Connect also `nonce` (RFC 9700 §4.7)",
    shows: [sign(/^(\d\. )?(location|url) \?(state|nonce)$/, NOTHING, /^<random>$/)],
  },
  "flow-cookie": {
    section: "OAuth and OpenID Connect",
    authjs:
      "Shares `authjs.state`, `authjs.nonce` and `authjs.pkce.code_verifier` between all tabs, and keeps them after a failure",
    latchkey:
      "Sets a cookie `authjs.state.<flow>` for each sign-in, and clears it at the end. A browser can have 5 sign-ins in progress",
    shows: [
      sign(/^(\d\. )?cookie (__Secure-)?authjs\.(state|nonce|pkce\.code_verifier)$/, /./, NOTHING),
      sign(/^(\d\. )?cookie (__Host-)?authjs\.state\.<flow>$/, NOTHING, /^(<sealed>|nothing); /),
    ],
  },
  "repeated-callback": {
    section: "OAuth and OpenID Connect",
    authjs: "Fails if the browser repeats a callback, for example after the back button",
    latchkey: "For 15 minutes, redirects a repeated callback to the return URL if the user is still signed in",
    shows: [
      sign(/^(\d\. )?cookie (__Host-)?authjs\.state\.finished$/, NOTHING, /^<sealed>; /),
      sign(/^(\d\. )?location$/, /error=(Configuration|Verification)$/, /^http:\/\/app\.test$/),
      sign(/^call store\.getSessionAndUser/, NOTHING, /^1$/),
    ],
  },
  "empty-scope": {
    section: "OAuth and OpenID Connect",
    authjs: "Sends `scope=` to a provider with an empty scope (Kakao, Zoom)",
    latchkey: "Omits `scope` (RFC 6749 §3.3)",
    shows: [sign(/^location \?scope$/, /^$/, NOTHING)],
  },
  "reserved-parameters": {
    section: "OAuth and OpenID Connect",
    authjs: "Sends all parameters of the sign-in query to the provider",
    latchkey:
      "Does not send `client_id`, `redirect_uri`, `response_type`, `response_mode`, `state`, `nonce`, `code_challenge…` and `request…`. Sends `scope` only with `allowScopeOverride: true`",
    shows: [
      sign(
        /^location \?(client_id|redirect_uri|response_type|scope)$/,
        /^(evil|http:\/\/evil\.test\/|token|admin)$/,
        /./,
      ),
      sign(/^location \?(request|request_uri|response_mode|callbackUrl|code_challenge_method)$/, /./, /^(-|S256)$/),
    ],
  },
  "undefined-parameter": {
    section: "OAuth and OpenID Connect",
    authjs: "Sends an `undefined` authorization parameter as the text `undefined`",
    latchkey: "Omits the parameter",
    shows: [sign(/^location \?prompt$/, /^undefined$/, NOTHING)],
  },
  "provider-merge": {
    section: "Setup",
    authjs:
      "Loses the authorization URL if it is a string and your options set `authorization: { params }`. Merges lists by index, and turns class instances into plain objects",
    latchkey: "Merges each parameter, replaces lists, and keeps class instances",
    shows: [
      sign(/^location$/, CONFIGURATION, /^http:\/\/op\.test\/authorize$/),
      sign(
        /^location \?(client_id|code_challenge|code_challenge_method|redirect_uri|response_type|scope)$/,
        NOTHING,
        /./,
      ),
    ],
  },
  "error-landing": {
    section: "Return URLs and failures",
    authjs:
      "Redirects to `error?error=Configuration` (500) if a sign-in has expired, is lost or is replayed, or if the provider fails",
    latchkey: "Redirects to the sign-in page with `error=OAuthCallbackError`",
    shows: [sign(LOCATION, CONFIGURATION, CALLBACK_ERROR)],
  },
  "error-callback-url": {
    section: "Return URLs and failures",
    authjs: "Redirects to the sign-in page without the return URL after a failure",
    latchkey: "Adds the return URL as `callbackUrl`",
    shows: [
      sign(
        LOCATION,
        /\/signin\?error=\w+(&code=\w+)?$|\?error=Configuration$/,
        /\/signin\?error=\w+(&code=\w+)?&callbackUrl=http%3A%2F%2Fapp\.test%2Fcart$/,
      ),
    ],
  },
  "error-cookies": {
    section: "Return URLs and failures",
    authjs: "Sets no cookies in the response to a failed request",
    latchkey: "Sets cookies in this response too, such as the callback-url cookie",
    shows: [
      sign(
        /^cookie authjs\.(csrf-token|callback-url)$/,
        NOTHING,
        /^(<csrf of the secret>|http:\/\/app\.test(\/cart)?); /,
      ),
    ],
  },
  "last-used": {
    section: "Return URLs and failures",
    authjs: "Does not show on the sign-in page which method the browser used last",
    latchkey:
      "Marks this method, with a cookie that contains the provider's id. `theme.lastUsed: false` turns this off",
    shows: [
      sign(
        /^(\d\. )?cookie (__Host-)?authjs\.last-used$/,
        NOTHING,
        /^[\w-]+; httponly; max-age=31536000; path=\/; samesite=Lax(; secure)?$/i,
      ),
    ],
  },
  "one-provider-form": {
    section: "Return URLs and failures",
    authjs: "Shows a form for each provider on the sign-in page",
    latchkey: "Shows one form with a button for each OAuth and OpenID Connect provider",
    shows: [sign(/^(\d\. )?form \d+( field (csrfToken|callbackUrl))?$/, /\S/, NOTHING)],
  },
  "form-values": {
    section: "Return URLs and failures",
    authjs: "Shows an empty form after a failure",
    latchkey:
      "Fills in the field that identifies the user. A custom page reads the value from `res.locals.auth.formValues`",
    shows: [
      sign(/^(\d\. )?cookie authjs\.form-values$/, NOTHING, /^<sealed>; httponly; max-age=60; path=\/; samesite=Lax$/),
    ],
  },
  "error-reference": {
    section: "Return URLs and failures",
    authjs: "Shows no reference to the log entry on the error page",
    latchkey: "Shows a reference to the log entry of each failure that it logs as an error",
    shows: [
      sign(/^cookie authjs\.error-reference$/, NOTHING, /^<sealed>; httponly; max-age=60; path=\/; samesite=Lax$/),
    ],
  },
  "rate-limit": {
    section: "Credentials",
    authjs: "Does not limit failed attempts",
    latchkey:
      "Allows 10 failed attempts in 15 minutes per account and client, and 100 per client. Then responds 429 with `Retry-After`; see `rateLimit`",
    shows: [
      sign(/^status$/, /^302$/, /^429$/),
      sign(/^location$/, /\/signin\?error=CredentialsSignin&code=credentials$/, NOTHING),
      sign(/^title$/, NOTHING, /^Error$/),
      sign(/^type$/, NOTHING, PAGE_TYPE),
    ],
  },
  "userinfo-completes": {
    section: "OAuth and OpenID Connect",
    authjs:
      "Reads only the id_token by default, so users lack a name or email address that only userinfo contains (OpenID Connect Core §5.4)",
    latchkey:
      "Also requests userinfo if the id_token lacks a claim of a granted scope. `idToken: true`, or `profile` in the provider's definition, turns this off",
  },
  "redirect-proxy-list": {
    section: "OAuth and OpenID Connect",
    authjs: "A redirect proxy forwards a response to any origin that `state` contains",
    latchkey: "Forwards only to the origins in `redirectProxyOrigins`",
  },
  "passkeys-switch": {
    section: "OAuth and OpenID Connect",
    authjs: "Requires `experimental: { enableWebAuthn: true }` for passkeys, and logs a warning at each request",
    latchkey: "Requires only a passkey provider and an adapter",
  },
  "start-limit": {
    section: "OAuth and OpenID Connect",
    authjs: "Does not limit how many OAuth sign-ins a client starts",
    latchkey:
      "Allows 300 in 15 minutes per client (`rateLimit.oauthSignInsPerClient`), and then responds 429 with `Retry-After`",
  },
  "credentials-code": {
    section: "Credentials",
    authjs: "Shows any `code` of a `CredentialsSignin` in the URL",
    latchkey: "Shows a code of at most 32 letters, digits, `_` and `-`, and replaces any other code with `credentials`",
    shows: [sign(/^location$/, /&code=(a\+b%26c|x{40})$/, /&code=credentials$/)],
  },
  "credentials-id": {
    section: "Credentials",
    authjs: "Converts any `id` from `authorize` to text, for example to `[object Object]`",
    latchkey: "Rejects an array or a plain object as `id`, with `error=Configuration`",
    shows: [sign(/^location$/, /^http:\/\/app\.test$/, /error=Configuration$/), sign(SESSION, /^sealed /, NOTHING)],
  },
  "id-token-signature": {
    section: "OAuth and OpenID Connect",
    authjs: "Does not verify the signature of an id_token",
    latchkey:
      "Verifies the signature, `at_hash`, `azp` and `iat` (OpenID Connect Core §3.1.3.7). `verifyIdToken: false` turns off only the signature check, with a warning",
    shows: [sign(/^location$/, /^http:\/\/app\.test$/, CALLBACK_ERROR), sign(SESSION, /^sealed /, NOTHING)],
  },
  "userinfo-signature": {
    section: "OAuth and OpenID Connect",
    authjs: "Does not verify the signature of a JWT userinfo response",
    latchkey: "Verifies the signature (OpenID Connect Core §5.3.4)",
    shows: [sign(/^location$/, /^http:\/\/app\.test$/, CALLBACK_ERROR), sign(SESSION, /^sealed /, NOTHING)],
  },
  "profile-errors": {
    section: "OAuth and OpenID Connect",
    authjs:
      "Redirects to a URL that does not exist if `profile()` throws. Creates a new account at each sign-in if `profile()` returns no id",
    latchkey: "Redirects to the sign-in page with `error=OAuthCallbackError` in both cases",
    shows: [
      sign(/^location$/, /\/callback\/oidc\?code=<code>\S+\/signin$/, CALLBACK_ERROR),
      sign(/^location$/, /^http:\/\/app\.test$/, CALLBACK_ERROR),
      sign(SESSION, /^sealed \{"name":"X"/, NOTHING),
    ],
  },
  "issuer-of-oauth": {
    section: "OAuth and OpenID Connect",
    authjs: "Rejects a response with `iss` (RFC 9207) if a plain OAuth provider has no `issuer`",
    latchkey: "Compares `iss` only if the provider has an `issuer`",
    shows: [sign(/^location$/, CONFIGURATION, /^http:\/\/app\.test$/), sign(SESSION, NOTHING, /^sealed /)],
  },
  "form-post": {
    section: "OAuth and OpenID Connect",
    authjs:
      "Sets cookies with `SameSite=None` for `response_mode=form_post`. The return URL and the session are lost, because browsers do not send their cookies with the POST",
    latchkey:
      "Redirects the POST (303) to a GET with the sealed response in the URL, so browsers send all `Lax` cookies",
    shows: [
      sign(/^1\. status$/, /^302$/, /^303$/),
      sign(/^1\. location$/, /./, /\/auth\/callback\/oidc\?form_post=<sealed>$/),
      sign(/^[12]\. cookie /, /./, NOTHING),
    ],
  },
  "session-tokens": {
    section: "Sessions",
    authjs: "Uses UUIDs as tokens of database sessions",
    latchkey: "Uses 256 random bits, unless `session.generateSessionToken` is set",
    shows: [
      sign(SESSION, /^<uuid>; /, /^<256 bits>; /),
      sign(/^(sessions|body)$/, /"sessionToken":"<uuid>"/, /"sessionToken":"<256 bits>"/),
    ],
  },
  "session-authentication": {
    section: "Sessions",
    authjs: "Does not record in a cookie session how the user was authenticated",
    latchkey:
      "Adds the claim `session_authentication`: an id, the owner, the provider, and how and when the user was authenticated",
  },
  "session-verified-email": {
    section: "Sessions",
    authjs: "Links accounts to the user of a cookie session until the session expires",
    latchkey:
      "With an adapter, records the user's verified email address in the session (`session_verified_email`). Links no accounts if the user's verified address has changed since",
    shows: [sign(SESSION, /^sealed \{/, /^sealed \{.*"session_verified_email":"/)],
  },
  "credentials-stored-user": {
    section: "Sessions",
    authjs: "Signs in the user that `authorize` returns",
    latchkey: "With an adapter, rejects the sign-in if the user's email address was verified after `authorize` started",
    shows: [sign(/^call store\.getUser\(/, NOTHING, /^[12]$/)],
  },
  "session-rotation": {
    section: "Sessions",
    authjs: "Keeps the database session when the same user signs in again or links an account",
    latchkey: "Creates a new token and deletes the old row at every sign-in",
    shows: [sign(/^call store\.(deleteSession|createSession)\(/, /^(\d|-)$/, /^\d$/)],
  },
  "email-verified": {
    section: "Users and accounts",
    authjs: "With `allowDangerousEmailAccountLinking`, links accounts by any email address",
    latchkey: "Links accounts only by an address that the provider reports as verified",
    shows: [
      sign(/^location$/, /^http:\/\/app\.test$/, /\/signin\?error=OAuthAccountNotLinked$/),
      sign(/^(accounts|sessions)$/, /^\[\{/, /^\[\]$/),
      sign(SESSION, /^<uuid>; /, NOTHING),
      sign(/^call (event\.(linkAccount|signIn)|store\.(linkAccount|createSession))\(/, /^1$/, NOTHING),
    ],
  },
  "empty-address": {
    section: "Users and accounts",
    authjs: "Stores an empty email address from a provider",
    latchkey: "Treats an empty address as missing",
  },
  "created-verified": {
    section: "Users and accounts",
    authjs: "Stores `emailVerified: null` for a user that a provider's sign-in creates",
    latchkey:
      "Stores the time of the sign-in if the provider verified the address and has `allowDangerousEmailAccountLinking`",
    shows: [sign(/^users$/, /"emailVerified":null/, /"emailVerified":"<now\+0s>"/)],
  },
  "linked-verified": {
    section: "Users and accounts",
    authjs: "Keeps `emailVerified: null` when `allowDangerousEmailAccountLinking` links an account",
    latchkey: "Sets `emailVerified`. This first verification has the effects of `mail-pre-registered`",
    shows: [
      sign(/^call (event\.updateUser\(\{user\}\)|store\.updateUser\(\{emailVerified, id\}\))$/, NOTHING, /^1$/),
      sign(/^users$/, /"emailVerified":null/, /"emailVerified":"<now\+0s>"/),
    ],
  },
  "unverified-address": {
    section: "Users and accounts",
    authjs: "Rejects a new account whose email address another user has, even if that user never verified the address",
    latchkey:
      "Creates a new user if the other user's address is unverified and the adapter has `listAccountsByUserId`. The address moves to the new user only if the account's provider verified it",
  },
  "signin-callback-user": {
    section: "Users and accounts",
    authjs:
      "Calls `callbacks.signIn` with the account's owner or the provider's user, before it decides which user will be signed in",
    latchkey: "Calls it with the user who will be signed in, and only if the sign-in is not rejected",
    shows: [sign(/^call signIn\(/, /^[123]$/, /^(-|1|2)$/), sign(/^call store\.getUserByEmail\(/, /^(-|2)$/, /^[13]$/)],
  },
  "second-decision": {
    section: "Users and accounts",
    authjs: "Decides only once which user signs in",
    latchkey: "Decides again before it links an account or verifies an address",
    shows: [
      sign(/^call store\.getSessionAndUser\(/, /^[12]$/, /^[2356]$/),
      sign(/^call store\.getUser\(/, NOTHING, /^4$/),
      sign(/^call store\.updateUser\(/, /^(-|1)$/, /^(-|1)$/),
      sign(/^call store\.getUserByEmail\(/, /^[1346]$/, /^[457]$/),
      sign(/^call store\.getUserByAccount\(/, /^[46]$/, /^[78]$/),
    ],
  },
  "changed-address": {
    section: "Users and accounts",
    authjs: "The adapters of Auth.js keep `emailVerified` when `updateUser` changes the address",
    latchkey:
      "The included adapters set `emailVerified` to null unless the call provides it. `changeEmail` sets it to null with every adapter",
  },
  "create-user-event": {
    section: "Users and accounts",
    authjs: "Fires `events.createUser` also when it links an account to an existing user with the same address",
    latchkey: "Fires it only when a user is created",
    shows: [sign(/^call event\.createUser\(/, /^1$/, NOTHING)],
  },
  "account-tokens": {
    section: "Users and accounts",
    authjs: "Stores the provider's tokens in clear text with the account",
    latchkey:
      "With a store, keeps the tokens encrypted [in the store](tokens.md#where-tokens-are) instead, and renews them. With `keepTokens: false` on the provider, stores them as Auth.js does",
  },
  "create-user-order": {
    section: "Users and accounts",
    authjs: "Fires `events.createUser` after the user is stored, but before the account is stored",
    latchkey: "Fires it after both are stored",
    shows: [
      sign(
        /^order of calls$/,
        /\nevent\.createUser\(\{user\}\)\nstore\.linkAccount/,
        /\nstore\.linkAccount\([^)]*\)\nevent\.createUser\(\{user\}\)\n/,
      ),
    ],
  },
  "store-down": {
    section: "Sessions",
    authjs: "Treats the user as signed out (`null`, 200) if the adapter fails, and ignores a failed sign-out",
    latchkey:
      "Responds 503 at `/session`, and middleware calls `next(err)`. Redirects a failed sign-out to `error=SignOutError`",
    shows: [
      sign(/^status$/, /^200$/, /^503$/),
      sign(/^body$/, /^null$/, /^\{"message":"Sessions can't be read at the moment/),
      sign(/^location$/, /^http:\/\/app\.test$/, /\/error\?error=SignOutError$/),
      sign(/^call store\.getSessionAndUser\(/, NOTHING, /^1$/),
      sign(SESSION, CLEARED, NOTHING),
    ],
  },
  "credentials-database": {
    section: "Credentials",
    authjs: "Always creates an encrypted cookie, which cannot be read with database sessions",
    latchkey: "Creates a session of the configured strategy",
    shows: [
      sign(/^1\. cookie authjs\.session-token$/, /^sealed /, /^<256 bits>; /),
      sign(/^2\. cookie authjs\.session-token$/, CLEARED, /^<256 bits>; /),
      sign(/^2\. body$/, /^null$/, /"name":"Ada"/),
      sign(/^sessions$/, /^\[\]$/, /"userId":"42"/),
      sign(/^call jwt\(/, /^1$/, NOTHING),
      sign(/^call (store\.createSession|session|event\.session)\(/, NOTHING, /^1$/),
    ],
  },
  "store-reads": {
    section: "Users and accounts",
    authjs: "Reads from the adapter step by step while it decides",
    latchkey: "First reads the current user and the owners of the account and the address, and then decides",
    shows: [
      sign(/^call store\.getUser(ByEmail)?\(/, /^(-|1)$/, /^[1-6]$/),
      sign(/^call store\.getUserByEmail\(/, /^[36]$/, /^[245]$/),
      sign(/^call store\.getUserByAccount\(/, /^[12346]$/, /^[1-6]$/),
    ],
  },
  "answer-once": {
    section: "Users and accounts",
    authjs: "Accepts a provider's or passkey's response as long as its cookies exist",
    latchkey: "Accepts a response once per process, or once in all processes that share a store (RFC 6749 §4.1.2)",
  },
  "store-retries": {
    section: "Users and accounts",
    authjs: "Fails the sign-in if the adapter reports a duplicate user, account or address",
    latchkey: "Reads the adapter again first, because another process may have created the duplicate",
    shows: [
      sign(/^call store\.getUserByEmail\(/, /^[234]$/, /^[46]$/),
      sign(/^call store\.getUserByAccount\(/, /^[24]$/, /^[68]$/),
    ],
  },
  "mail-order": {
    section: "Email links",
    authjs:
      "Does not wait until the link is stored before it sends the email. If the sender fails immediately, the process ends",
    latchkey: "Stores the link first, and sends no email if storing fails",
    shows: [
      sign(
        /^order of calls$/,
        /sendVerificationRequest\(\)\nstore\.createVerificationToken/,
        /store\.createVerificationToken\([^)]*\)\nsendVerificationRequest/,
      ),
      sign(/^call sendVerificationRequest\(/, /^1$/, NOTHING),
      sign(/^call store\.createVerificationToken\(/, NOTHING, /^1$/),
      sign(/^mail 1( also has)?$/, /./, NOTHING),
    ],
  },
  "mail-arguments": {
    section: "Email links",
    authjs: "Passes identifier, url, token, expires, provider, theme and request to `sendVerificationRequest`",
    latchkey:
      "Also passes `mail` (subject, text and HTML of the templates), `code` (undefined if the email contains no code) and `signal`, which aborts at the time limit",
    shows: [sign(/^mail \d also has$/, /^provider, request, theme$/, /^code, mail, provider, request, signal, theme$/)],
  },
  "mail-page": {
    section: "Email links",
    authjs: "Shows no form on the page after the request",
    latchkey:
      "In the requesting browser, shows the address, a form that requests another email, and a form for the code if the email contains one",
    shows: [sign(/^form 1( field \w+)?$/, NOTHING, /./)],
  },
  "mail-return-url": {
    section: "Email links",
    authjs: "Puts the requester's `callbackUrl` into the link as plain text",
    latchkey: "Puts the URL into the link as the encrypted parameter `state`. Also accepts the links of Auth.js",
    shows: [sign(/^mail \d$/, /\?callbackUrl=/, /\?state=<sealed>/)],
  },
  "mail-hash": {
    section: "Email links",
    authjs: "Stores `sha256(token + secret)` for a link. The CSRF cookie contains a hash of the same form",
    latchkey:
      "Stores an HMAC that is used only for links. After startup, accepts the hashes of Auth.js for `maxAge` plus one hour",
    shows: [sign(/^call store\.useVerificationToken\(/, /^1$/, /^2$/)],
  },
  "mail-browser-cookie": {
    section: "Email links",
    authjs: "Does not recognise the browser that requested a link",
    latchkey: "Recognises this browser by the sealed cookies `authjs.state.mail` and `authjs.state.known`",
    shows: [sign(/^(\d\. )?cookie (__Host-)?authjs\.state\.(mail|known)$/, NOTHING, /^(<sealed>|nothing); /)],
  },
  "mail-confirm": {
    section: "Email links",
    authjs: "Signs in the visitor who opens a link, in any browser",
    latchkey: "Signs in at once only in the requesting browser. In other browsers, a page asks for confirmation first",
    shows: [
      sign(/^status$/, /^302$/, /^200$/),
      sign(/^title$/, NOTHING, /^Confirm Sign In$/),
      sign(/^type$/, NOTHING, PAGE_TYPE),
      sign(/^form 1/, NOTHING, /./),
      sign(/^location$/, /^http:\/\/app\.test(\/auth\/error\?error=Verification)?$/, NOTHING),
      sign(/^call (event\.\w+|signIn|store\.\w+)\(/, /^\d$/, /^(-|\d)$/),
      sign(SESSION, /^<uuid>; /, NOTHING),
      sign(/^(users|sessions)$/, /^\[\{/, /^\[\]$/),
      sign(/^links$/, /^(-|\[\{)/, /^\[\{/),
    ],
  },
  "mail-address": {
    section: "Email links",
    authjs: "Accepts most texts with one `@`, including `ada,bob@example.com`. Keeps international domains as written",
    latchkey:
      "Accepts only a single RFC 5321 address of at most 254 characters (CVE-2022-35924). Converts the domain to the `xn--` form, and also finds users whose address has the other form",
    shows: [
      sign(
        /^(links|mail 1)$/,
        /"identifier":"(ada,bob@|ada <|a{65}@|ada@bücher\.)/,
        /^(-|.*"identifier":"ada@xn--bcher-kva\.example".*)$/,
      ),
      sign(/^mail 1 also has$/, /./, NOTHING),
      sign(/^call (sendVerificationRequest|signIn|store\.\w+)\(/, /^1$/, /^(-|2)$/),
      sign(/^location$/, /\/verify-request\?provider=mail&type=email$/, /\/signin\?error=EmailSignInError$/),
    ],
  },
  "mail-address-error": {
    section: "Email links",
    authjs: "Redirects to `error?error=Configuration` if the address is invalid or `normalizeIdentifier` throws",
    latchkey: "Redirects to the sign-in page with `error=EmailSignInError`, and fills in the address",
    shows: [sign(/^location$/, CONFIGURATION, /\/signin\?error=EmailSignInError$/)],
  },
  "mail-refused": {
    section: "Email links",
    authjs: "Redirects a link request to `error?error=AccessDenied` if the `signIn` callback refuses the user",
    latchkey:
      "Responds as if an email was sent, after the same time. If the callback refuses an opened link, redirects to `error?error=AccessDenied`",
    shows: [sign(/^location$/, /\/error\?error=AccessDenied$/, /\/verify-request\?provider=mail&type=email$/)],
  },
  "mail-failure": {
    section: "Email links",
    authjs: "Redirects to `error?error=Configuration` if the email cannot be sent, and keeps the link",
    latchkey:
      "Redirects to the sign-in page with `error=EmailSignin` and `callbackUrl`, fills in the address, and deletes the link",
    shows: [
      sign(/^location$/, CONFIGURATION, /\/signin\?error=EmailSignin(&callbackUrl=\S+)?$/),
      sign(/^call store\.useVerificationToken\(/, NOTHING, /^1$/),
      sign(/^links$/, /^\[\{/, NOTHING),
    ],
  },
  "mail-limit": {
    section: "Email links",
    authjs: "Does not limit emails",
    latchkey:
      "Sends at most 5 emails in 15 minutes to an address, 20 to all addresses that differ only in a `+tag` or in dots, and 60 per client. A browser can request one email to an address in 30 seconds. Beyond a limit (`rateLimit`), responds as usual but sends nothing",
    shows: [
      sign(/^call (sendVerificationRequest|signIn|store\.\w+)\(/, /^6$/, /^5$/),
      sign(/^mail 6( also has)?$/, /./, NOTHING),
      sign(/^links$/, /^\[(\{[^}]*\},?){6}\]$/, /^\[(\{[^}]*\},?){5}\]$/),
    ],
  },
  "mail-token-missing": {
    section: "Email links",
    authjs: "Redirects a link without its token to `error?error=Configuration`",
    latchkey: "Redirects to `error?error=Verification`",
    shows: [sign(/^location$/, CONFIGURATION, /\/error\?error=Verification$/)],
  },
  "mail-post": {
    section: "Email links",
    authjs: "Accepts a POST to the URL of a link without a CSRF token",
    latchkey: "Requires a CSRF token for this POST, as for every form",
    shows: [
      sign(/^location$/, /^http:\/\/app\.test$/, /\/signin\?error=MissingCSRF$/),
      sign(/^call (event\.\w+|signIn|store\.\w+)\(/, /^\d$/, /^(-|\d)$/),
      sign(SESSION, /^<uuid>; /, NOTHING),
      sign(/^(users|sessions)$/, /^\[\{/, /^\[\]$/),
      sign(/^links$/, NOTHING, /^\[\{/),
    ],
  },
  "mail-newest": {
    section: "Email links",
    authjs: "Accepts every link once, until it expires",
    latchkey:
      "Accepts only the newest link to an address if the adapter has `deleteVerificationTokens`. All included adapters have this method",
  },
  "mail-timeout": {
    section: "Email links",
    authjs: "Waits for the sender without a limit",
    latchkey:
      "Waits 8 seconds, or the provider's `sendTimeout`, and then redirects with `error=EmailSignin`. The link works if the email still arrives",
  },
  "mail-user-id": {
    section: "Email links",
    authjs: "Passes a temporary id as the `account.userId` of a new user",
    latchkey: "Passes the stored user's id to the `jwt` callback and the `signIn` event",
  },
  "mail-pre-registered": {
    section: "Users and accounts",
    authjs:
      "Keeps an existing user's sessions and accounts after a sign-in with an email link or with `allowDangerousEmailAccountLinking`",
    latchkey:
      "If the browser is not signed in as the user, the first verification of the address ends the user's sessions. It also removes passkeys, the second factor, and accounts whose provider did not verify the address",
  },
  "linking-asks": {
    section: "Users and accounts",
    authjs:
      "Links an account to the user of any session cookie that it can decrypt, even if `callbacks.jwt` has ended the session",
    latchkey:
      "Calls `callbacks.jwt` first, unless the account is already linked to the user. Treats the browser as signed out if the callback returns null",
    shows: [sign(/^call jwt\(\{token\}\)$/, /^-$/, /^[12]$/)],
  },
  "linking-begun": {
    section: "Users and accounts",
    authjs: "Links a new account to the user who is signed in when the browser returns",
    latchkey:
      "Links the account only if this user was also signed in at the start. Otherwise fails with `OAuthAccountNotLinked`",
    shows: [sign(/^call store\.getSessionAndUser\(/, /^[12]$/, /^([2-6]|10)$/)],
  },
  "secret-list": {
    section: "Setup",
    authjs: "Signs CSRF tokens with the joined list of secrets, so an added secret invalidates the tokens",
    latchkey: "Signs CSRF tokens with the first secret. Accepts the signatures of each secret and of the joined list",
    shows: [sign(/^1\. cookie authjs\.csrf-token$/, /joined secrets/, /first secret/)],
  },
  "endpoint-check": {
    section: "Setup",
    authjs: "Rejects a provider whose `userinfo` has a `request` function but no URL",
    latchkey: "Accepts such a provider. The check also considers the endpoints in your options",
    shows: [sign(/^status$/, /^500$/, /^200$/), sign(/^body$/, /^\{"message":/, /^\{"oauth":/)],
  },
  "error-status": {
    section: "Requests and responses",
    authjs: "Responds 200 with the error page for an unknown `error`",
    latchkey: "Responds 400",
    shows: [sign(/^status$/, /^200$/, /^400$/)],
  },
  "config-check": {
    section: "Setup",
    authjs: "Reports one problem at a time, and only when a request arrives (status 500)",
    latchkey:
      "`authMiddleware(config)` throws at startup, and lists every problem, including misspelt options, with its fix",
  },
  "config-untouched": {
    section: "Setup",
    authjs: "Writes `basePath`, `secret`, `trustHost`, `providers` and `logger` into the config object",
    latchkey: "Never modifies the config object, which may be frozen or shared",
  },
  "separate-configs": {
    section: "Setup",
    authjs: "Once one configuration has an email provider, requires an adapter in all configurations",
    latchkey: "Checks each configuration independently",
  },
  "short-secret": {
    section: "Setup",
    authjs: "Accepts any secret",
    latchkey: "Warns about a secret of fewer than 32 characters, and rejects such a secret if `NODE_ENV=production`",
  },
  "no-store": {
    section: "Requests and responses",
    authjs: "Sends `Cache-Control` only with `GET /session` and `GET /csrf`",
    latchkey: "Sends `private, no-cache, no-store` with every response except static files",
  },
  "page-headers": {
    section: "Requests and responses",
    authjs:
      "Its built-in pages have inline styles and scripts, load logos from authjs.dev, and have no security headers",
    latchkey:
      "Its pages load only files of the package, run a script only for passkeys, and have security headers such as a strict `Content-Security-Policy`",
  },
  "short-sessions": {
    section: "Sessions",
    authjs:
      "Never extends a database session whose `maxAge` is under a day, because the default of `updateAge` is a day",
    latchkey: "Sets the default of `updateAge` to a thirtieth of `maxAge`, and at most a day",
  },
  "session-rolling": {
    section: "Sessions",
    authjs: "Renews the session cookie only if the browser itself requests `GET /session`",
    latchkey: "Also renews the cookie in `req.getSession()`, after `updateAge`",
  },
  "token-changes": {
    section: "Sessions",
    authjs: "Calls the `jwt` callback for each concurrent request, so each of them refreshes a token",
    latchkey:
      "Calls the callback once for concurrent requests. For a minute, requests with the old cookie get the same result",
  },
  "application-mount": {
    section: "Paths and methods",
    authjs:
      "Responds 400 if it is mounted at an Express 5 wildcard (`/auth/*splat`). Always uses the mount path as the base path",
    latchkey:
      "Works at every kind of mount path, on Express 4 and 5, Connect and `node:http`. Uses `basePath` or the path of `AUTH_URL` if one is set",
  },
  "one-origin": {
    section: "Paths and methods",
    authjs: "`ExpressAuth` uses the `Host` header. `getSession` uses `AUTH_URL`, or else unverified forwarded headers",
    latchkey: "Always uses `AUTH_URL`, or else the origin that Express determines with `trust proxy`",
  },
  "provider-variables": {
    section: "Setup",
    authjs: 'Reads `AUTH_GITHUB_ID` for `GitHub({ id: "work" })`',
    latchkey: "Reads `AUTH_WORK_ID`",
  },
  "env-booleans": {
    section: "Setup",
    authjs:
      "Trusts every host if `AUTH_TRUST_HOST=false`. Ignores `AUTH_TRUST_HOST` if `AUTH_URL` is set to an empty value",
    latchkey: "Reads `false`, `0`, `no` and `off` as false, and treats an empty variable as not set",
  },
  "adapter-methods": {
    section: "Setup",
    authjs: "If there is an email provider, checks only three adapter methods",
    latchkey: "Checks every adapter method that the configuration uses, at startup",
  },
  "class-adapter": {
    section: "Setup",
    authjs: "Calls adapter methods without `this`, and does not find inherited methods",
    latchkey: "Accepts an instance of a class as the adapter",
  },
  "cached-metadata": {
    section: "OAuth and OpenID Connect",
    authjs: "Fetches the provider's metadata at the start and at the callback of every sign-in",
    latchkey: "Caches metadata and keys for an hour, and longer while the provider is down",
  },
  "bounded-calls": {
    section: "OAuth and OpenID Connect",
    authjs: "Waits for a provider without a limit and reads responses of any size",
    latchkey:
      "Waits at most 8 seconds, reads at most 1 MB, and follows no redirects. Allows plain `http:` only for localhost or with `allowInsecure: true`",
  },
} as const satisfies Record<string, Difference>

export type DifferenceId = keyof typeof DIFFERENCES

/** Ids of the differences that no single response shows. */
export type UnseenId = {
  [Id in DifferenceId]: (typeof DIFFERENCES)[Id] extends { shows: unknown } ? never : Id
}[DifferenceId]

/** The entries that explain a fact. */
export function explanations(fact: string, [authjs, latchkey]: FactPair): DifferenceId[] {
  const ids = Object.keys(DIFFERENCES) as DifferenceId[]
  return ids.filter((id) => {
    const { shows = [] }: Difference = DIFFERENCES[id]
    return shows.some((one) => one.fact.test(fact) && one.authjs.test(authjs) && one.latchkey.test(latchkey))
  })
}
