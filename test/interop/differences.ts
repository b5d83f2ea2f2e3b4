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
    authjs: '400 `"Bad request."` for unknown paths below its mount path',
    latchkey: "Calls `next()`, so the application's routes and 404 page apply",
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
    latchkey: "Allows at most one trailing slash; others are an `unknown-path`",
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
    authjs: '400 `"Bad request."` or a redirect to `error?error=Configuration`',
    latchkey: "405 with `Allow` (RFC 9110 §15.5.6)",
    shows: direct(/^405$/, /^(-|"Method not allowed\.")$/),
  },
  "unknown-provider": {
    section: "Paths and methods",
    authjs: "Redirects to `error?error=Configuration` and logs all provider ids",
    latchkey: "404 without an error in the log",
    shows: [...direct(/^404$/, /^(-|"Not found\.")$/), sign(/^url$/, CONFIGURATION, /\/error\?error=BadRequest$/)],
  },
  head: {
    section: "Paths and methods",
    authjs: "Responds to HEAD with 400",
    latchkey: "Handles HEAD as GET without a body or side effects (RFC 9110 §9.3.2)",
    shows: [sign(/^(\d\. )?status$/, /^400$/, /^(200|403)$/), sign(/^(\d\. )?type$/, JSON_TYPE, /^(text\/html|-)$/)],
  },
  "malformed-body": {
    section: "Requests and responses",
    authjs: "Passes invalid JSON to the error handler, and treats JSON that is not an object as empty",
    latchkey: 'Responds 400 `"Bad request."`',
    shows: [sign(/^body$/, /^(\{"error":"internal error"\}|null)$/, /^"Bad request\."$/)],
  },
  "body-size": {
    section: "Requests and responses",
    authjs: "Accepts 100 kB, and passes larger bodies to the error handler",
    latchkey: "Accepts 64 kB within 10 seconds, or else responds 413 or 408, unless the application parsed the body",
    shows: [
      ...direct(/^413$/, /^"Content too large\."$/),
      sign(/^body$/, /^\{"error":"internal error"\}$/, /^"Content too large\."$/),
      sign(/^location$/, /^http:\/\/app\.test$/, NOTHING),
    ],
  },
  multipart: {
    section: "Requests and responses",
    authjs: "Treats a multipart body as empty, so its CSRF token is missing",
    latchkey: "Responds 415",
    shows: [
      ...direct(/^415$/, /^"Unsupported media type\."$/),
      sign(/^location$/, /\/signin\?error=MissingCSRF$/, NOTHING),
    ],
  },
  "json-mode-location": {
    section: "Requests and responses",
    authjs: "In JSON mode (`X-Auth-Return-Redirect`), sends `Location` with `url` only after a success",
    latchkey: "Sends both after a failure too",
    shows: [sign(/^location$/, NOTHING, /^http:\/\/app\.test\//)],
  },
  "page-address": {
    section: "Requests and responses",
    authjs: "Appends `?error=…` to page URLs as text: a second `?`, unencoded values, `error=undefined`",
    latchkey: "Parses the URL, encodes values, and omits parameters without a value",
    shows: [
      sign(LOCATION, /\?[^?]*\?error=/, /\?[^?]*&error=[^?]*$/),
      sign(LOCATION, /\/oops\?error=undefined$/, /\/oops$/),
      sign(LOCATION, /\/oops\?error=a b&c=d$/, /\/oops\?error=a\+b%26c%3Dd$/),
    ],
  },
  "absolute-location": {
    section: "Requests and responses",
    authjs: "Redirects to a page in `pages`, or to the result of the `redirect` callback, as it is, possibly a path",
    latchkey: "Makes the URL absolute",
    shows: [
      sign(LOCATION, /^\/(?!\/)/, /^http:\/\/app\.test\/(?!\/)/),
      sign(/^cookie authjs\.callback-url$/, /^\/always; /, /^http:\/\/app\.test\/always; /),
    ],
  },
  "cross-site": {
    section: "Requests and responses",
    authjs: "Checks only the CSRF token",
    latchkey:
      "Also rejects a POST that is cross-site by `Sec-Fetch-Site` or else `Origin`, except `form_post` responses",
    shows: [sign(/^location$/, /^http:\/\/app\.test$/, /\/signin\?error=MissingCSRF$/)],
  },
  "sign-out-landing": {
    section: "Paths and methods",
    authjs: "Sign-out redirects to the return URL of the sign-in",
    latchkey: "It redirects to the front page, unless the form has a return URL",
  },
  "continued-by-page": {
    section: "Paths and methods",
    authjs: "A form at `/signin/:provider` or `/signout` gets a 302 to another origin",
    latchkey: "It gets a page that redirects; scripts and older browsers get 302",
  },
  "unknown-address": {
    section: "Paths and methods",
    authjs: "Without `AUTH_URL` and `trustHost` in production, starts and rejects each request",
    latchkey: "Does not start; `Auth` rejects each request",
  },
  "untrusted-host": {
    section: "Paths and methods",
    authjs: "Redirects to `pages.error` on the untrusted host",
    latchkey: "Responds 500 with the built-in page, without a host name",
    shows: [
      sign(/^status$/, /^302$/, /^500$/),
      sign(/^location$/, CONFIGURATION, NOTHING),
      sign(/^title$/, NOTHING, /^Error$/),
      sign(/^type$/, NOTHING, PAGE_TYPE),
    ],
  },
  "session-cookies": {
    section: "Sessions",
    authjs: "Every request sets the CSRF and callback-url cookies",
    latchkey: "Only responses with a token or form set the CSRF cookie; only sign-in and sign-out set the other",
    shows: [sign(/^cookie (__Host-|__Secure-)?authjs\.(csrf-token|callback-url)$/, /./, NOTHING)],
  },
  "csrf-renewal": {
    section: "Return URLs and failures",
    authjs: "A browser's CSRF token does not change",
    latchkey: "Sign-in and sign-out renew it; older forms fail with `MissingCSRF`",
    shows: [sign(/^(\d\. )?cookie (__Host-)?authjs\.csrf-token$/, NOTHING, /^<csrf of the secret>; /)],
  },
  "redirect-callback-calls": {
    section: "Return URLs and failures",
    authjs: "Calls the `redirect` callback on every request with a callbackUrl or its cookie",
    latchkey: "Only for sign-in, callback, sign-out and csrf",
    shows: [sign(/^call redirect\(/, /^\d$/, /^(\d|-)$/)],
  },
  "undefined-option": {
    section: "Setup",
    authjs: "An `undefined` option removes its default: `session: { maxAge: undefined }` ends all sessions",
    latchkey: "It keeps its default",
    shows: [sign(/^body$/, /^null$/, /"name":"Ada"/), sign(SESSION, NOTHING, /^sealed /)],
  },
  "session-size": {
    section: "Sessions",
    authjs: "Stores sessions of any size in many cookies",
    latchkey:
      "Limits its cookies to 7168 bytes (`session.maxCookieSize`, up to 16384): a larger sign-in fails, but larger sessions of `@auth/express` work",
    shows: [
      sign(/^location$/, /^http:\/\/app\.test$/, /error=Configuration$/),
      sign(/^cookie authjs\.session-token\.\d$/, /./, NOTHING),
    ],
  },
  "session-cookie-name": {
    section: "Sessions",
    authjs: "Joins all cookies whose names start with the session cookie's",
    latchkey:
      "Reads the plain cookie and `.0`, `.1`, … without a gap, uses the valid one, and none if they belong to different users",
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
    latchkey: "Clears it",
    shows: [sign(SESSION, NOTHING, CLEARED)],
  },
  "application-errors": {
    section: "Sessions",
    authjs: "An exception in the `jwt` or `session` callback signs the user out (200)",
    latchkey: "Passes it to the error handler (`next(err)`, 500) and keeps the cookie",
    shows: [
      sign(/^status$/, /^200$/, /^500$/),
      sign(/^body$/, /^null$/, /^\{"error":"internal error"\}$/),
      sign(SESSION, CLEARED, NOTHING),
    ],
  },
  "form-callback-url": {
    section: "Requests and responses",
    authjs: "Only OAuth forms have the query's `callbackUrl` as a field, unchecked",
    latchkey: "Each form contains the validated return URL as a field",
    shows: [
      sign(/^form \d field callbackUrl$/, /./, /^https?:\/\/(app\.test|partner\.test)/),
      sign(/^form 1$/, /\/signout\?callbackUrl=\/bye$/, /\/signout$/),
    ],
  },
  "signin-page-of-provider": {
    section: "Paths and methods",
    authjs: "Redirects `GET signin/github` to `error?error=Configuration`",
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
      "The query of the sign-in page overrides its contents, such as `?csrfToken=` and `?theme=`; `?providers=` crashes",
    latchkey: "A page uses only `email` and a known `error`",
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
      "Stores a callbackUrl of the site as written, including `//evil.test`, `/\\evil.test`, `/ü` and credentials",
    latchkey: "Stores it as browsers normalize it, and the front page instead of a URL with credentials",
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
    authjs: "An invalid callbackUrl leads to 500 in the query or cookie, and to `error=Configuration` in the body",
    latchkey: "In the query it leads to 400, except at `/session`; in a cookie or body it is ignored",
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
    authjs: "Uses only `pkce` if a provider names no checks",
    latchkey: "Uses `pkce` and `state`, and `nonce` with OpenID Connect (RFC 9700 §4.7)",
    shows: [sign(/^(\d\. )?(location|url) \?(state|nonce)$/, NOTHING, /^<random>$/)],
  },
  "flow-cookie": {
    section: "OAuth and OpenID Connect",
    authjs:
      "All tabs share `authjs.state`, `authjs.nonce` and `authjs.pkce.code_verifier`, which remain after a failure",
    latchkey: "Each of at most 5 sign-ins in progress has its own `authjs.state.<flow>`, which is cleared at the end",
    shows: [
      sign(/^(\d\. )?cookie (__Secure-)?authjs\.(state|nonce|pkce\.code_verifier)$/, /./, NOTHING),
      sign(/^(\d\. )?cookie (__Host-)?authjs\.state\.<flow>$/, NOTHING, /^(<sealed>|nothing); /),
    ],
  },
  "repeated-callback": {
    section: "OAuth and OpenID Connect",
    authjs: "A repeated callback fails, for example after the back button",
    latchkey: "For 15 minutes it leads to the return URL if the user is still signed in",
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
      "Ignores `client_id`, `redirect_uri`, `response_type`, `response_mode`, `state`, `nonce`, `code_challenge…` and `request…`, and `scope` without `allowScopeOverride: true`",
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
    latchkey: "Omits it",
    shows: [sign(/^location \?prompt$/, /^undefined$/, NOTHING)],
  },
  "provider-merge": {
    section: "Setup",
    authjs:
      "Loses the URL if `authorization: { params }` overrides a string, merges lists by index, flattens class instances",
    latchkey: "Merges parameter by parameter, replaces lists, and keeps instances",
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
    authjs: "An expired, lost or replayed sign-in or a failing provider leads to `error?error=Configuration` (500)",
    latchkey: "To the sign-in page with `error=OAuthCallbackError`",
    shows: [sign(LOCATION, CONFIGURATION, CALLBACK_ERROR)],
  },
  "error-callback-url": {
    section: "Return URLs and failures",
    authjs: "After a failure, the sign-in page has no return URL",
    latchkey: "It receives `callbackUrl`",
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
    authjs: "A failure response sets no cookies",
    latchkey: "It keeps the cookies of the attempt, such as a new return URL",
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
    authjs: "The sign-in page does not know which method the browser used last",
    latchkey: "A cookie with the provider's id marks it; `theme.lastUsed: false` turns that off",
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
    authjs: "The sign-in page has a form for each provider",
    latchkey: "One form has a button for each OAuth and OpenID Connect provider",
    shows: [sign(/^(\d\. )?form \d+( field (csrfToken|callbackUrl))?$/, /\S/, NOTHING)],
  },
  "form-values": {
    section: "Return URLs and failures",
    authjs: "Shows an empty form after a failure",
    latchkey: "Refills the field that identifies the user; custom pages read `res.locals.auth.formValues`",
    shows: [
      sign(/^(\d\. )?cookie authjs\.form-values$/, NOTHING, /^<sealed>; httponly; max-age=60; path=\/; samesite=Lax$/),
    ],
  },
  "error-reference": {
    section: "Return URLs and failures",
    authjs: "A user's report cannot be matched to a log line",
    latchkey: "The built-in page shows a reference for each failure that is logged as an error",
    shows: [
      sign(/^cookie authjs\.error-reference$/, NOTHING, /^<sealed>; httponly; max-age=60; path=\/; samesite=Lax$/),
    ],
  },
  "rate-limit": {
    section: "Credentials",
    authjs: "No limit on failed attempts",
    latchkey:
      "10 in 15 minutes per account and client, and 100 failures per client, then 429 with `Retry-After`; see `rateLimit`",
    shows: [
      sign(/^status$/, /^302$/, /^429$/),
      sign(/^location$/, /\/signin\?error=CredentialsSignin&code=credentials$/, NOTHING),
      sign(/^title$/, NOTHING, /^Error$/),
      sign(/^type$/, NOTHING, PAGE_TYPE),
    ],
  },
  "userinfo-completes": {
    section: "OAuth and OpenID Connect",
    authjs: "Users have no name and email address if only userinfo contains them (OpenID Connect Core §5.4)",
    latchkey:
      "Requests userinfo for granted claims that the id_token lacks, unless the definition has a `profile` or `idToken: true`",
  },
  "redirect-proxy-list": {
    section: "OAuth and OpenID Connect",
    authjs: "A redirect proxy forwards to any origin that a deployment with the same secret names",
    latchkey: "It forwards only to `redirectProxyOrigins`",
  },
  "passkeys-switch": {
    section: "OAuth and OpenID Connect",
    authjs: "Passkeys need `experimental: { enableWebAuthn: true }`, with a warning at each start",
    latchkey: "They need only a passkey provider and an adapter",
  },
  "start-limit": {
    section: "OAuth and OpenID Connect",
    authjs: "No limit on started OAuth sign-ins",
    latchkey: "300 in 15 minutes per client (`rateLimit.oauthSignInsPerClient`), then 429 with `Retry-After`",
  },
  "credentials-code": {
    section: "Credentials",
    authjs: "Shows any `code` of a `CredentialsSignin`",
    latchkey: "Shows at most 32 letters, digits, `_` and `-`, or else `credentials`",
    shows: [sign(/^location$/, /&code=(a\+b%26c|x{40})$/, /&code=credentials$/)],
  },
  "credentials-id": {
    section: "Credentials",
    authjs: "Converts any `id` from `authorize` to text, for example `[object Object]`",
    latchkey: "Rejects such an id with `error=Configuration`",
    shows: [sign(/^location$/, /^http:\/\/app\.test$/, /error=Configuration$/), sign(SESSION, /^sealed /, NOTHING)],
  },
  "id-token-signature": {
    section: "OAuth and OpenID Connect",
    authjs: "Does not verify the signature of an id_token",
    latchkey:
      "Verifies it, with `at_hash`, `azp` and `iat`; `verifyIdToken: false` disables this with a warning (OpenID Connect Core §3.1.3.7)",
    shows: [sign(/^location$/, /^http:\/\/app\.test$/, CALLBACK_ERROR), sign(SESSION, /^sealed /, NOTHING)],
  },
  "userinfo-signature": {
    section: "OAuth and OpenID Connect",
    authjs: "Does not verify the signature of a JWT userinfo response",
    latchkey: "Verifies it (OpenID Connect Core §5.3.4)",
    shows: [sign(/^location$/, /^http:\/\/app\.test$/, CALLBACK_ERROR), sign(SESSION, /^sealed /, NOTHING)],
  },
  "profile-errors": {
    section: "OAuth and OpenID Connect",
    authjs: "An exception in `profile()` redirects to a missing URL; without an id, each sign-in creates an account",
    latchkey: "Both lead to the sign-in page with `error=OAuthCallbackError`",
    shows: [
      sign(/^location$/, /\/callback\/oidc\?code=<code>\S+\/signin$/, CALLBACK_ERROR),
      sign(/^location$/, /^http:\/\/app\.test$/, CALLBACK_ERROR),
      sign(SESSION, /^sealed \{"name":"X"/, NOTHING),
    ],
  },
  "issuer-of-oauth": {
    section: "OAuth and OpenID Connect",
    authjs: "Rejects a response with `iss` (RFC 9207) from a plain OAuth provider without `issuer`",
    latchkey: "Compares `iss` only if the provider's `issuer` is known",
    shows: [sign(/^location$/, CONFIGURATION, /^http:\/\/app\.test$/), sign(SESSION, NOTHING, /^sealed /)],
  },
  "form-post": {
    section: "OAuth and OpenID Connect",
    authjs: "`response_mode=form_post` sets cookies with `SameSite=None`, and loses the return URL and session",
    latchkey: "Seals the posted response in a 303 redirect, so every `Lax` cookie is sent",
    shows: [
      sign(/^1\. status$/, /^302$/, /^303$/),
      sign(/^1\. location$/, /./, /\/auth\/callback\/oidc\?form_post=<sealed>$/),
      sign(/^[12]\. cookie /, /./, NOTHING),
    ],
  },
  "session-tokens": {
    section: "Sessions",
    authjs: "Tokens of database sessions are UUIDs",
    latchkey: "256 random bits, unless `session.generateSessionToken` is set",
    shows: [
      sign(SESSION, /^<uuid>; /, /^<256 bits>; /),
      sign(/^(sessions|body)$/, /"sessionToken":"<uuid>"/, /"sessionToken":"<256 bits>"/),
    ],
  },
  "session-authentication": {
    section: "Sessions",
    authjs: "A cookie session does not record how it was opened",
    latchkey:
      "It has the claim `session_authentication`: an id, the owner, the provider, and how and when the user was authenticated",
  },
  "session-verified-email": {
    section: "Sessions",
    authjs: "A cookie session can link accounts to its user until it expires",
    latchkey:
      "With an adapter, it records the verified email address (`session_verified_email`), and links no accounts once the user has another",
    shows: [sign(SESSION, /^sealed \{/, /^sealed \{.*"session_verified_email":"/)],
  },
  "credentials-stored-user": {
    section: "Sessions",
    authjs: "Signs in the user that `authorize` returned",
    latchkey: "With an adapter, rejects a password that was checked before the owner verified the user's address",
    shows: [sign(/^call store\.getUser\(/, NOTHING, /^[12]$/)],
  },
  "session-rotation": {
    section: "Sessions",
    authjs: "Keeps the database session when the same user signs in again or links an account",
    latchkey: "Every sign-in creates a new token and deletes the old row",
    shows: [sign(/^call store\.(deleteSession|createSession)\(/, /^(\d|-)$/, /^\d$/)],
  },
  "email-verified": {
    section: "Users and accounts",
    authjs: "`allowDangerousEmailAccountLinking` links by any address",
    latchkey: "It links only by an address that the provider reports as verified",
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
    latchkey: "Treats it as missing",
  },
  "created-verified": {
    section: "Users and accounts",
    authjs: "A user created by a provider's sign-in has `emailVerified: null`",
    latchkey:
      "It has the time of the sign-in, if a provider with `allowDangerousEmailAccountLinking` verified the address",
    shows: [sign(/^users$/, /"emailVerified":null/, /"emailVerified":"<now\+0s>"/)],
  },
  "linked-verified": {
    section: "Users and accounts",
    authjs: "Linking by `allowDangerousEmailAccountLinking` keeps `emailVerified: null`",
    latchkey: "Sets it if the provider verified the address, and applies `mail-pre-registered`",
    shows: [
      sign(/^call (event\.updateUser\(\{user\}\)|store\.updateUser\(\{emailVerified, id\}\))$/, NOTHING, /^1$/),
      sign(/^users$/, /"emailVerified":null/, /"emailVerified":"<now\+0s>"/),
    ],
  },
  "unverified-address": {
    section: "Users and accounts",
    authjs: "A user's address blocks other accounts with that address, even if it was never verified",
    latchkey:
      "It blocks none if the adapter lists accounts: a new user is created, with the address if the provider verified it",
  },
  "signin-callback-user": {
    section: "Users and accounts",
    authjs:
      "`callbacks.signIn` receives the account's owner or the provider's user, before it is known which user will be signed in",
    latchkey: "It receives the user who will be signed in, and is called only if the sign-in is not rejected",
    shows: [sign(/^call signIn\(/, /^[123]$/, /^(-|1|2)$/), sign(/^call store\.getUserByEmail\(/, /^(-|2)$/, /^[13]$/)],
  },
  "second-decision": {
    section: "Users and accounts",
    authjs: "Decides once which user a sign-in belongs to",
    latchkey: "Decides again before linking an account or verifying an address, under a lock if the adapter has one",
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
    authjs: "Its adapters keep `emailVerified` when `updateUser` changes the address",
    latchkey: "Included adapters set it to null unless the call provides it; `changeEmail` does so with every adapter",
  },
  "create-user-event": {
    section: "Users and accounts",
    authjs: "`events.createUser` fires when an account is linked to a known address",
    latchkey: "It fires only when a user is created",
    shows: [sign(/^call event\.createUser\(/, /^1$/, NOTHING)],
  },
  "account-tokens": {
    section: "Users and accounts",
    authjs: "Stores the provider's tokens in clear text with the account",
    latchkey:
      "With a store, keeps them encrypted [in the store](tokens.md#where-tokens-are), and renews them; the account has none. `keepTokens: false` on the provider stores them as Auth.js does",
  },
  "create-user-order": {
    section: "Users and accounts",
    authjs: "`events.createUser` fires after the user is stored and before the account is",
    latchkey: "It fires after both are stored",
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
    authjs: "Treats a failing adapter as signed out (`null`, 200), and ignores a failed sign-out",
    latchkey: "Responds 503 and calls `next(err)`; reports a failed sign-out",
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
    authjs: "Always creates an encrypted cookie, which is not read with an adapter",
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
    authjs: "Reads from the adapter step by step",
    latchkey: "Reads the current user and the owners of the account and the address, and then decides",
    shows: [
      sign(/^call store\.getUser(ByEmail)?\(/, /^(-|1)$/, /^[1-6]$/),
      sign(/^call store\.getUserByEmail\(/, /^[36]$/, /^[245]$/),
      sign(/^call store\.getUserByAccount\(/, /^[12346]$/, /^[1-6]$/),
    ],
  },
  "answer-once": {
    section: "Users and accounts",
    authjs: "A provider's or passkey's response works as long as its cookies exist",
    latchkey: "It works once per process, or once across processes that share a store (RFC 6749 §4.1.2)",
  },
  "store-retries": {
    section: "Users and accounts",
    authjs: "A duplicate user, account or address in the adapter fails the sign-in",
    latchkey: "Reads again first, because another process may have created it",
    shows: [
      sign(/^call store\.getUserByEmail\(/, /^[234]$/, /^[46]$/),
      sign(/^call store\.getUserByAccount\(/, /^[24]$/, /^[68]$/),
    ],
  },
  "mail-order": {
    section: "Email links",
    authjs: "Sends the email while it stores the link, which may fail; a sender that fails at once ends the process",
    latchkey: "Stores the link first, and sends nothing if storing fails",
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
    authjs: "`sendVerificationRequest` receives identifier, url, token, expires, provider, theme and request",
    latchkey:
      "Also `mail` (subject, text and HTML of the templates), `code` (undefined without `emailCode`) and `signal`, which aborts at the time limit",
    shows: [sign(/^mail \d also has$/, /^provider, request, theme$/, /^code, mail, provider, request, signal, theme$/)],
  },
  "mail-page": {
    section: "Email links",
    authjs: "The page after the request has no form",
    latchkey:
      "In the requesting browser, it names the address, accepts the code of the email, and can send another email",
    shows: [sign(/^form 1( field \w+)?$/, NOTHING, /./)],
  },
  "mail-return-url": {
    section: "Email links",
    authjs: "A link contains the requester's `callbackUrl` in plain text",
    latchkey: "It is sealed, as `state`; plain ones of Auth.js are accepted",
    shows: [sign(/^mail \d$/, /\?callbackUrl=/, /\?state=<sealed>/)],
  },
  "mail-hash": {
    section: "Email links",
    authjs: "Stores `sha256(token + secret)` of a link, like the hash in the CSRF cookie",
    latchkey:
      "Stores an HMAC with its own key; links stored by Auth.js work until `maxAge` plus one hour after startup",
    shows: [sign(/^call store\.useVerificationToken\(/, /^1$/, /^2$/)],
  },
  "mail-browser-cookie": {
    section: "Email links",
    authjs: "Does not remember the browser that requests a link",
    latchkey: "Identifies it by the sealed cookies `authjs.state.mail` and `authjs.state.known`",
    shows: [sign(/^(\d\. )?cookie (__Host-)?authjs\.state\.(mail|known)$/, NOTHING, /^(<sealed>|nothing); /)],
  },
  "mail-confirm": {
    section: "Email links",
    authjs: "Opening a link in any browser signs in the visitor",
    latchkey: "Signs in at once only in the requesting browser; in others a page asks for confirmation",
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
    authjs:
      "Accepts most texts with one `@`, including `ada,bob@example.com`, and keeps international domains as written",
    latchkey:
      "Accepts one RFC 5321 address of at most 254 characters, with an `xn--` domain; finds users stored in the other form (CVE-2022-35924)",
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
    authjs: "A mistyped address or an exception in `normalizeIdentifier` leads to `error?error=Configuration`",
    latchkey: "To the sign-in page with `error=EmailSignInError` and the address in the field",
    shows: [sign(/^location$/, CONFIGURATION, /\/signin\?error=EmailSignInError$/)],
  },
  "mail-refused": {
    section: "Email links",
    authjs: "If the `signIn` callback refuses the user, a link request leads to `error?error=AccessDenied`",
    latchkey: "It gets the response and timing of a sent email; opening a link leads to `AccessDenied`",
    shows: [sign(/^location$/, /\/error\?error=AccessDenied$/, /\/verify-request\?provider=mail&type=email$/)],
  },
  "mail-failure": {
    section: "Email links",
    authjs: "An email that cannot be sent leads to `error?error=Configuration`, and its link stays stored",
    latchkey: "To the sign-in page with `error=EmailSignin`, `callbackUrl` and the address; the link is deleted",
    shows: [
      sign(/^location$/, CONFIGURATION, /\/signin\?error=EmailSignin(&callbackUrl=\S+)?$/),
      sign(/^call store\.useVerificationToken\(/, NOTHING, /^1$/),
      sign(/^links$/, /^\[\{/, NOTHING),
    ],
  },
  "mail-limit": {
    section: "Email links",
    authjs: "No limit on emails",
    latchkey:
      "5 in 15 minutes to an address, 20 to its variants, 60 per client, and one in 30 seconds to an address from one browser, then the same response without sending; see `rateLimit`",
    shows: [
      sign(/^call (sendVerificationRequest|signIn|store\.\w+)\(/, /^6$/, /^5$/),
      sign(/^mail 6( also has)?$/, /./, NOTHING),
      sign(/^links$/, /^\[(\{[^}]*\},?){6}\]$/, /^\[(\{[^}]*\},?){5}\]$/),
    ],
  },
  "mail-token-missing": {
    section: "Email links",
    authjs: "A link without its token leads to `error?error=Configuration`",
    latchkey: "It leads to `error=Verification`",
    shows: [sign(/^location$/, CONFIGURATION, /\/error\?error=Verification$/)],
  },
  "mail-post": {
    section: "Email links",
    authjs: "A link that is posted needs no CSRF token",
    latchkey: "It needs one, like every form",
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
    authjs: "Every link works until it expires",
    latchkey:
      "With `deleteVerificationTokens`, as in the included adapters, only the newest link of an address works, and none after one is used",
  },
  "mail-timeout": {
    section: "Email links",
    authjs: "No time limit for the sender",
    latchkey:
      "8 seconds or the provider's `sendTimeout`, then `error=EmailSignin`; the link works if the email still arrives",
  },
  "mail-user-id": {
    section: "Email links",
    authjs: "`account.userId` of a new user is a temporary id",
    latchkey: "It is the user's id, in `jwt` and in the `signIn` event",
  },
  "mail-pre-registered": {
    section: "Users and accounts",
    authjs:
      "An email link or `allowDangerousEmailAccountLinking` signs in to the address's user and keeps that user's sessions and accounts",
    latchkey:
      "The first verification of the address, in a browser not signed in as its user, ends the user's sessions and removes accounts and passkeys that do not verify it",
  },
  "linking-asks": {
    section: "Users and accounts",
    authjs: "Links to the user of any session cookie that decrypts, even if `callbacks.jwt` has ended the session",
    latchkey: "Calls `callbacks.jwt` first, unless the account is already linked to the user; null means signed out",
    shows: [sign(/^call jwt\(\{token\}\)$/, /^-$/, /^[12]$/)],
  },
  "linking-begun": {
    section: "Users and accounts",
    authjs: "Links a new account to the user of the session when the browser returns",
    latchkey: "Links it only to the user who was signed in at the start; otherwise `OAuthAccountNotLinked`",
    shows: [sign(/^call store\.getSessionAndUser\(/, /^[12]$/, /^([2-6]|10)$/)],
  },
  "secret-list": {
    section: "Setup",
    authjs: "Signs CSRF tokens with the joined list of secrets, so a new secret invalidates them",
    latchkey: "Signs with the first secret, and accepts each secret and the joined list",
    shows: [sign(/^1\. cookie authjs\.csrf-token$/, /joined secrets/, /first secret/)],
  },
  "endpoint-check": {
    section: "Setup",
    authjs: "Rejects a provider whose `userinfo` has a `request` function but no URL",
    latchkey: "Accepts it, and checks a provider after merging the options",
    shows: [sign(/^status$/, /^500$/, /^200$/), sign(/^body$/, /^\{"message":/, /^\{"oauth":/)],
  },
  "error-status": {
    section: "Requests and responses",
    authjs: "The error page responds to an unknown `error` with 200",
    latchkey: "It responds 400",
    shows: [sign(/^status$/, /^200$/, /^400$/)],
  },
  "config-check": {
    section: "Setup",
    authjs: "Reports one problem at a time, with status 500 at the first request",
    latchkey:
      "`authMiddleware(config)` throws at startup and lists every problem with its fix, and misspelt option names",
  },
  "config-untouched": {
    section: "Setup",
    authjs: "Writes `basePath`, `secret`, `trustHost`, `providers` and `logger` into the config object",
    latchkey: "Never writes to it; it may be frozen or shared",
  },
  "separate-configs": {
    section: "Setup",
    authjs: "After one configuration with an email provider, every other needs an adapter",
    latchkey: "Configurations are independent",
  },
  "short-secret": {
    section: "Setup",
    authjs: "Accepts any secret",
    latchkey: "Warns below 32 characters, and rejects such a secret if `NODE_ENV=production`",
  },
  "no-store": {
    section: "Requests and responses",
    authjs: "Sets `Cache-Control` only on `GET /session` and `GET /csrf`",
    latchkey: "Sends `private, no-cache, no-store` with every response",
  },
  "page-headers": {
    section: "Requests and responses",
    authjs: "The built-in pages have inline styles and scripts, logos from authjs.dev, and no security headers",
    latchkey:
      "They load only the package's files, run a script only for passkeys, and send security headers such as a strict `Content-Security-Policy`",
  },
  "short-sessions": {
    section: "Sessions",
    authjs: "Never extends a database session with a `maxAge` under a day",
    latchkey: "Without `updateAge`, extends a session under thirty days after a thirtieth of its length",
  },
  "session-rolling": {
    section: "Sessions",
    authjs: "Only the browser's own `GET /session` extends a session, and `updateAge` does not apply to cookies",
    latchkey: "`req.getSession()` extends it too, after `updateAge`",
  },
  "token-changes": {
    section: "Sessions",
    authjs: "Concurrent requests each run the `jwt` callback, and each refresh a token",
    latchkey: "They share one call, and for a minute requests with the old cookie get its result",
  },
  "application-mount": {
    section: "Paths and methods",
    authjs: "Responds 400 at an Express 5 wildcard (`/auth/*splat`); the base path is always the mount path",
    latchkey:
      "Can be mounted in every way, on Express 4 and 5, Connect and `node:http`; `basePath` and `AUTH_URL` apply if set",
  },
  "one-origin": {
    section: "Paths and methods",
    authjs: "The handler uses the raw `Host`, `getSession` uses `AUTH_URL` and unverified forwarded headers",
    latchkey: "Both use `AUTH_URL`, or else the origin that `trust proxy` yields",
  },
  "provider-variables": {
    section: "Setup",
    authjs: '`GitHub({ id: "work" })` reads `AUTH_GITHUB_ID`',
    latchkey: "It reads `AUTH_WORK_ID`",
  },
  "env-booleans": {
    section: "Setup",
    authjs: "`AUTH_TRUST_HOST=false` enables the option, and an empty variable hides its alternatives",
    latchkey: "`false`, `0`, `no`, `off` and an empty value mean false",
  },
  "adapter-methods": {
    section: "Setup",
    authjs: "Checks three adapter methods at startup for an email provider",
    latchkey: "Checks every method that the configuration uses",
  },
  "class-adapter": {
    section: "Setup",
    authjs: "Calls adapter methods without `this` and does not find inherited methods",
    latchkey: "An adapter may be an instance of a class",
  },
  "cached-metadata": {
    section: "OAuth and OpenID Connect",
    authjs: "Fetches metadata at every start and every callback",
    latchkey: "Caches metadata and keys for an hour, and longer while the provider is down",
  },
  "bounded-calls": {
    section: "OAuth and OpenID Connect",
    authjs: "Waits for a provider without a limit and reads responses of any size",
    latchkey:
      "8 seconds per sign-in and 1 MB, no redirects, and plain `http:` only for localhost or with `allowInsecure: true`",
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
