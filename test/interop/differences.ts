/**
 * Where an application sees another behaviour than with `@auth/express`, on purpose. `docs/differences.md` has every
 * entry in prose.
 *
 * @module
 */
import { ABSENT, type FactPair } from "./support/observe.js"

export interface Difference {
  /** What `@auth/express` does. */
  readonly authjs: string
  /** What latchkey does. */
  readonly latchkey: string
  readonly why: string
  /** How it shows in an answer. A difference that no answer shows has a test of its own. */
  readonly shows?: readonly Sign[]
}

/** A fact, and what it is on either side. */
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

/** An answer of its own where Auth.js redirects to its page for the operator's mistakes, or says "Bad request.". */
const direct = (status: RegExp, words: RegExp): Sign[] => [
  sign(/^status$/, /^(302|400|200)$/, status),
  sign(/^body$/, /^(-|"Bad request\.")$/, words),
  sign(/^type$/, /^(-|application\/json)$/, /^(application\/json|text\/html)$/),
  sign(/^title$/, NOTHING, /^Error$/),
  sign(/^location$/, CONFIGURATION, NOTHING),
]

export const DIFFERENCES = {
  "unknown-path": {
    authjs: 'Answers every path below its mount, unknown ones with 400 `"Bad request."`',
    latchkey: "Calls `next()`: the application's own routes and its own 404 page apply",
    why: "Express' convention; other routes can live below the same path",
    shows: [
      sign(/^status$/, /^400$/, /^404$/),
      sign(/^body$/, /^"Bad request\."$/, NOTHING),
      sign(/^type$/, JSON_TYPE, PAGE_TYPE),
      sign(/^title$/, NOTHING, /^Error$/),
    ],
  },
  "literal-path": {
    authjs: "`/auth//csrf` and `/auth/csrf//` are `/auth/csrf`",
    latchkey: "Only the literal path is served, with at most one slash at its end: others are an `unknown-path`",
    why: "A limiter on the exact path sees every request",
    shows: [
      sign(/^status$/, /^200$/, /^404$/),
      sign(/^body(\.|$)/, /./, /./),
      sign(/^cookie authjs\.(csrf-token|callback-url)$/, /./, NOTHING),
      sign(/^type$/, JSON_TYPE, PAGE_TYPE),
      sign(/^title$/, NOTHING, /^Error$/),
    ],
  },
  "wrong-method": {
    authjs: 'A known action with a wrong method: 400 `"Bad request."`, or a redirect to `error?error=Configuration`',
    latchkey: "405 with `Allow`",
    why: "RFC 9110 §15.5.6; nobody has misconfigured anything",
    shows: direct(/^405$/, /^(-|"Method not allowed\.")$/),
  },
  "unknown-provider": {
    authjs: "A provider that does not exist: a redirect to `error?error=Configuration`, logged with all ids",
    latchkey: "404, not logged as an error",
    why: "The address is wrong, not the configuration",
    shows: [...direct(/^404$/, /^(-|"Not found\.")$/), sign(/^url$/, CONFIGURATION, /\/error\?error=BadRequest$/)],
  },
  head: {
    authjs: "HEAD is answered 400",
    latchkey: "HEAD is GET without a body, and without any side effect: no cookie, nothing spent, nothing renewed",
    why: "RFC 9110 §9.3.2; link checkers and mail scanners send it",
    shows: [sign(/^(\d\. )?status$/, /^400$/, /^(200|403)$/), sign(/^(\d\. )?type$/, JSON_TYPE, /^(text\/html|-)$/)],
  },
  "malformed-body": {
    authjs: "A body that is no JSON goes to the application's error handler; JSON that is no object counts as empty",
    latchkey: '400 `"Bad request."`',
    why: "One answer for all malformed input, the application is not troubled",
    shows: [sign(/^body$/, /^(\{"error":"internal error"\}|null)$/, /^"Bad request\."$/)],
  },
  "body-size": {
    authjs: "Bodies of 100 kB, above that the application's error handler",
    latchkey:
      "Bodies of 64 kB within 10 seconds, above that 413 or 408; a body that the application parsed is taken as it is",
    why: "Nobody can hold the memory or a connection",
    shows: [
      ...direct(/^413$/, /^"Content too large\."$/),
      sign(/^body$/, /^\{"error":"internal error"\}$/, /^"Content too large\."$/),
      sign(/^location$/, /^http:\/\/app\.test$/, NOTHING),
    ],
  },
  multipart: {
    authjs: "A multipart body is taken for an empty one, so its CSRF token is missing",
    latchkey: "415",
    why: "It says what is wrong",
    shows: [
      ...direct(/^415$/, /^"Unsupported media type\."$/),
      sign(/^location$/, /\/signin\?error=MissingCSRF$/, NOTHING),
    ],
  },
  "json-mode-location": {
    authjs:
      "In JSON mode (`X-Auth-Return-Redirect`) `Location` is sent beside `url` after a success, not after a failure",
    latchkey: "Always beside `url`",
    why: "One rule; clients read `url`",
    shows: [sign(/^location$/, NOTHING, /^http:\/\/app\.test\//)],
  },
  "page-address": {
    authjs:
      "Adds `?error=…` to the text of a page in `pages`, so that a page with a query gets a second `?`, and a page without an error `error=undefined`; values are not encoded on the error page; pages at other hosts come out broken",
    latchkey: "Parses the address: a query is kept, values are encoded, nothing is added where there is nothing to say",
    why: "Defect of Auth.js",
    shows: [
      sign(LOCATION, /\?[^?]*\?error=/, /\?[^?]*&error=[^?]*$/),
      sign(LOCATION, /\/oops\?error=undefined$/, /\/oops$/),
      sign(LOCATION, /\/oops\?error=a b&c=d$/, /\/oops\?error=a\+b%26c%3Dd$/),
    ],
  },
  "absolute-location": {
    authjs: "Redirects to a page in `pages`, or to what the `redirect` callback gave, by the text as it stands: a path",
    latchkey: "The same address, absolute",
    why: "Clients that parse `url` of JSON mode need an absolute one; a path that begins with `//` would name another host",
    shows: [
      sign(LOCATION, /^\/(?!\/)/, /^http:\/\/app\.test\/(?!\/)/),
      sign(/^cookie authjs\.callback-url$/, /^\/always; /, /^http:\/\/app\.test\/always; /),
    ],
  },
  "cross-site": {
    authjs: "The CSRF token alone decides",
    latchkey:
      "A POST that `Sec-Fetch-Site`, or else a real `Origin`, says is from another site is refused even with the token; answers of providers by `form_post` excepted",
    why: "A token may leak, these headers no page can set",
    shows: [sign(/^location$/, /^http:\/\/app\.test$/, /\/signin\?error=MissingCSRF$/)],
  },
  "sign-out-landing": {
    authjs: "Sign-out leads to the return URL that the browser kept from the sign-in",
    latchkey: "It leads to the front page unless the form names another page",
    why: "The kept page is often a guarded one, which leads to the sign-in page at once",
  },
  "continued-by-page": {
    authjs: "A form posted to `/signin/:provider` or `/signout` is answered with 302 to another origin",
    latchkey:
      "A navigation is answered with 200 and a page that continues there by itself; scripts and older browsers get 302",
    why: "Chromium applies `form-action 'self'` of the page with the form, which helmet sets, to redirects",
  },
  "unknown-address": {
    authjs: "Starts in production with neither `AUTH_URL` nor `trustHost`, and refuses each request",
    latchkey: "Does not start; `Auth` refuses each request",
    why: "A deployment that can serve no request fails at once",
  },
  "untrusted-host": {
    authjs: "An untrusted host is redirected to `pages.error` at that host",
    latchkey: "The built-in page with status 500, which names no host",
    why: "A `Location` with a host that nobody trusts is what a poisoned cache wants",
    shows: [
      sign(/^status$/, /^302$/, /^500$/),
      sign(/^location$/, CONFIGURATION, NOTHING),
      sign(/^title$/, NOTHING, /^Error$/),
      sign(/^type$/, NOTHING, PAGE_TYPE),
    ],
  },
  "session-cookies": {
    authjs: "Every request, reads of the session too, sets the CSRF and callback-url cookies",
    latchkey:
      "Only answers that carry a token or a form set the CSRF cookie, only sign-in and sign-out the callback-url",
    why: "Reading a session answers a question; pages stay cacheable and consent banners simple",
    shows: [sign(/^cookie (__Host-|__Secure-)?authjs\.(csrf-token|callback-url)$/, /./, NOTHING)],
  },
  "csrf-renewal": {
    authjs: "The CSRF token of a browser stays the same",
    latchkey: "Sign-in and sign-out set a new one; a form from before is refused with `MissingCSRF`",
    why: "A token that another user planted or saw must not be valid for the session",
    shows: [sign(/^(\d\. )?cookie (__Host-)?authjs\.csrf-token$/, NOTHING, /^<csrf of the secret>; /)],
  },
  "redirect-callback-calls": {
    authjs: "Asks the `redirect` callback on every request that has a callbackUrl or its cookie",
    latchkey: "Asks it where the answer depends on it: sign-in, callback, sign-out, csrf",
    why: "A session read does not depend on it",
    shows: [sign(/^call redirect\(/, /^\d$/, /^(\d|-)$/)],
  },
  "undefined-option": {
    authjs: "An option that is `undefined` wipes its default: `session: { maxAge: undefined }` signs everybody out",
    latchkey: "It says nothing, the default applies",
    why: "Defect of Auth.js",
    shows: [sign(/^body$/, /^null$/, /"name":"Ada"/), sign(SESSION, NOTHING, /^sealed /)],
  },
  "session-size": {
    authjs: "Sessions of any size, in as many cookies as they need",
    latchkey:
      "Our cookies take 7168 bytes of each request together, up to 16384 with `session.maxCookieSize`. A sign-in with a larger session fails; a larger session of `@auth/express` is read and renewed",
    why: "Proxies refuse 8 kB of one header by default, and then every page of that browser is an error",
    shows: [
      sign(/^location$/, /^http:\/\/app\.test$/, /error=Configuration$/),
      sign(/^cookie authjs\.session-token\.\d$/, /./, NOTHING),
    ],
  },
  "session-cookie-name": {
    authjs: "Takes every cookie whose name begins like the session's, and joins them all",
    latchkey:
      "Takes the plain one, and `.0`, `.1`, … without a gap; of several the one that opens, and none where they open for different users",
    why: "A stranger's look-alike or a stale chunk must not sign anybody out",
    shows: [
      sign(/^body$/, /^null$/, /"name":"Ada"/),
      sign(/^body$/, /"name":"Ada"/, /^null$/),
      sign(SESSION, CLEARED, /^sealed /),
      sign(SESSION, /^sealed /, NOTHING),
      sign(/^cookie authjs\.session-token-other$/, CLEARED, NOTHING),
    ],
  },
  "empty-cookie": {
    authjs: "Leaves an empty session cookie where it is",
    latchkey: "Clears it",
    why: "It is of no use",
    shows: [sign(SESSION, NOTHING, CLEARED)],
  },
  "application-errors": {
    authjs: "An exception in the `jwt` or `session` callback signs the person out, with status 200",
    latchkey: "It goes to the application's error handler (`next(err)`, 500), and the cookie stays",
    why: "It is the application's mistake, and passes; a lost session does not come back",
    shows: [
      sign(/^status$/, /^200$/, /^500$/),
      sign(/^body$/, /^null$/, /^\{"error":"internal error"\}$/),
      sign(SESSION, CLEARED, NOTHING),
    ],
  },
  "form-callback-url": {
    authjs:
      "Forms for OAuth carry the query's `callbackUrl` as it came, the sign-out form has it in its address, others have none",
    latchkey: "Each form carries the resolved one as a field",
    why: "Two tabs share a cookie, and each has its own form; nothing unchecked stands in the page",
    shows: [
      sign(/^form \d field callbackUrl$/, /./, /^https?:\/\/(app\.test|partner\.test)/),
      sign(/^form 1$/, /\/signout\?callbackUrl=\/bye$/, /\/signout$/),
    ],
  },
  "signin-page-of-provider": {
    authjs: "`GET signin/github` is a redirect to `error?error=Configuration`",
    latchkey: "The sign-in page",
    why: "People type it, reload it and come back to it",
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
    authjs:
      "The query of the sign-in page overrides what the page shows: `?csrfToken=`, `?theme=`, `?providers=` (which crashes)",
    latchkey: "A page takes `error` and `email` from the query, and looks `error` up",
    why: "Defect of Auth.js",
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
    authjs:
      "A callbackUrl of the own site is kept as it was written: `//evil.test`, `/\\evil.test`, `/ü`, credentials in it",
    latchkey:
      "It is kept as browsers read it: leading slashes joined, encoded, and the front page where it has credentials",
    why: "What is checked must be what is followed",
    shows: [
      sign(
        /^cookie authjs\.callback-url$/,
        /^http:\/\/(app\.test\/[^;]*|ada:pw@app\.test\/); /,
        /^http:\/\/app\.test(\/(evil\.test(\/cart)?|%C3%BC\?q=%C3%9F))?; /,
      ),
    ],
  },
  "bad-callback-url": {
    authjs:
      "A callbackUrl that is no http(s) URL: 500 from the query or the cookie, `error=Configuration` from the body",
    latchkey: "400 from the query; a cookie or a body that says it is passed over",
    why: "The client is wrong, not the configuration; a broken cookie must not lock anybody out",
    shows: [
      sign(/^status$/, /^500$/, /^(400|200)$/),
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
    authjs: "`pkce` alone, where a provider names no checks",
    latchkey: "`pkce` and `state`, and `nonce` with OpenID Connect",
    why: "RFC 9700 §4.7: a `state` also keeps the attempts of several tabs apart",
    shows: [sign(/^(\d\. )?(location|url) \?(state|nonce)$/, NOTHING, /^<random>$/)],
  },
  "flow-cookie": {
    authjs:
      "Up to three cookies for a sign-in under way, `authjs.state`, `authjs.nonce`, `authjs.pkce.code_verifier`, that every tab shares, and that stay after a failure",
    latchkey:
      "One for each sign-in under way, `authjs.state.<flow>`: state, nonce, verifier, provider and callback URL together; `__Host-` on https; `cookies.state` names it; at most 5, cleared whatever comes of it",
    why: "Several tabs can sign in at once; nothing spent stays behind",
    shows: [
      sign(/^(\d\. )?cookie (__Secure-)?authjs\.(state|nonce|pkce\.code_verifier)$/, /./, NOTHING),
      sign(/^(\d\. )?cookie (__Host-)?authjs\.state\.<flow>$/, NOTHING, /^(<sealed>|nothing); /),
    ],
  },
  "empty-scope": {
    authjs: "A provider whose scope is empty (Kakao, Zoom) asks for `scope=`",
    latchkey: "No `scope` is sent",
    why: "RFC 6749 §3.3: a scope that is sent has at least one value; vendors refuse another",
    shows: [sign(/^location \?scope$/, /^$/, NOTHING)],
  },
  "reserved-parameters": {
    authjs: "Every parameter of the sign-in query goes to the provider, `client_id` and `redirect_uri` too",
    latchkey:
      "None of those that decide who is asked for what: `client_id`, `redirect_uri`, `response_type`, `response_mode`, `state`, `nonce`, `code_challenge…`, `request…`; `scope` where the provider has `allowScopeOverride: true`",
    why: "A link must not change what a person consents to, nor take a check away",
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
    authjs: "An authorization parameter that is `undefined` is sent as the text `undefined`",
    latchkey: "It is left out",
    why: "Defect of Auth.js",
    shows: [sign(/^location \?prompt$/, /^undefined$/, NOTHING)],
  },
  "provider-merge": {
    authjs:
      "`authorization: { params }` over a provider whose own one is text loses the address; lists are merged index by index; class instances are flattened",
    latchkey: "Both are parsed and merged parameter by parameter; lists replace; instances stay",
    why: "Defect of Auth.js",
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
    authjs:
      "A sign-in that expired, was lost or replayed, and a provider that is down or refuses, land on `error?error=Configuration` with status 500",
    latchkey: "They land on the sign-in page with `error=OAuthCallbackError`",
    why: "Nobody has misconfigured anything: people can try again there",
    shows: [sign(LOCATION, CONFIGURATION, CALLBACK_ERROR)],
  },
  "error-callback-url": {
    authjs: "After a failure the sign-in page has forgotten where the person wanted to go",
    latchkey: "It gets `callbackUrl`",
    why: "The next attempt lands where the first one should have",
    shows: [
      sign(
        LOCATION,
        /\/signin\?error=\w+(&code=\w+)?$|\?error=Configuration$/,
        /\/signin\?error=\w+(&code=\w+)?&callbackUrl=http%3A%2F%2Fapp\.test%2Fcart$/,
      ),
    ],
  },
  "error-cookies": {
    authjs: "An answer to a failure sets no cookie",
    latchkey: "It keeps those that the attempt set",
    why: "A fresh callback URL is not lost",
    shows: [
      sign(
        /^cookie authjs\.(csrf-token|callback-url)$/,
        NOTHING,
        /^(<csrf of the secret>|http:\/\/app\.test(\/cart)?); /,
      ),
    ],
  },
  "form-values": {
    authjs: "A sign-in form that failed is shown empty",
    latchkey:
      "What identifies the user is still in its field, never a password or a code. A sealed cookie, `authjs.form-values`, carries it to the page for a minute; `res.locals.auth.formValues` has it for own pages",
    why: "Users correct the password without typing the user name again; the value is in no URL and no log",
    shows: [
      sign(/^(\d\. )?cookie authjs\.form-values$/, NOTHING, /^<sealed>; httponly; max-age=60; path=\/; samesite=Lax$/),
    ],
  },
  "error-reference": {
    authjs: "Nothing tells which line of the log a person's report is about",
    latchkey:
      "A failure that the log has as an error sets a sealed cookie, `authjs.error-reference`, for a minute: the built-in page that follows shows the reference of the line in the log, and clears it",
    why: "People can quote it; the addresses stay the same",
    shows: [
      sign(/^cookie authjs\.error-reference$/, NOTHING, /^<sealed>; httponly; max-age=60; path=\/; samesite=Lax$/),
    ],
  },
  "rate-limit": {
    authjs: "Any number of attempts with wrong credentials",
    latchkey:
      "10 in 15 minutes for one account from one client, and 100 failures from one client, then 429 with `Retry-After`; `rateLimit` changes it",
    why: "OWASP: guessing must be slow",
    shows: [
      sign(/^status$/, /^302$/, /^429$/),
      sign(/^location$/, /\/signin\?error=CredentialsSignin&code=credentials$/, NOTHING),
      sign(/^title$/, NOTHING, /^Error$/),
      sign(/^type$/, NOTHING, PAGE_TYPE),
    ],
  },
  "userinfo-completes": {
    authjs:
      "A provider that has name and address in userinfo alone, as OpenID Connect Core §5.4 allows, gives a user without both",
    latchkey:
      "Userinfo is asked once for what the granted scopes promise and the id_token lacks, where the definition has no `profile` of its own; `idToken: true` takes the id_token alone",
    why: "Such users would have neither a name nor an address, and nothing would be logged",
  },
  "redirect-proxy-list": {
    authjs: "A redirect proxy hands answers on to any origin that a deployment with the same secret names",
    latchkey:
      "Only to the origins in `redirectProxyOrigins`; without the list to none, and a site that `AUTH_URL` shows to be the proxy does not start",
    why: "A deployment that believes a forged `Host` header would send codes to an attacker",
  },
  "passkeys-switch": {
    authjs: "Passkeys need `experimental: { enableWebAuthn: true }`, and each start warns of it",
    latchkey: "Passkeys need a passkey provider and an adapter; the option is accepted and ignored",
    why: "Passkeys are a supported way to sign in",
  },
  "start-limit": {
    authjs: "Any number of OAuth sign-ins can be started",
    latchkey:
      "300 in 15 minutes for one client, then 429 with `Retry-After`; `rateLimit.oauthSignInsPerClient` changes it",
    why: "One client cannot keep the site busy with redirects to providers",
  },
  "credentials-code": {
    authjs: "The `code` of a `CredentialsSignin` is shown whatever it is",
    latchkey: "One of at most 32 letters, digits, `_` and `-`; anything else becomes `credentials`",
    why: "It stands in addresses and logs",
    shows: [sign(/^location$/, /&code=(a\+b%26c|x{40})$/, /&code=credentials$/)],
  },
  "credentials-id": {
    authjs: "The `id` of a user from `authorize` is whatever it is as text, `[object Object]` for instance",
    latchkey: "An id whose text several users would share is refused with `error=Configuration`",
    why: "One session subject would be several users",
    shows: [sign(/^location$/, /^http:\/\/app\.test$/, /error=Configuration$/), sign(SESSION, /^sealed /, NOTHING)],
  },
  "id-token-signature": {
    authjs: "The signature of an id_token is not verified",
    latchkey:
      "It is, with `at_hash`, `azp` and `iat`; `verifyIdToken: false` at a provider turns it off, with a warning",
    why: "OpenID Connect Core §3.1.3.7; the channel alone is trusted otherwise",
    shows: [sign(/^location$/, /^http:\/\/app\.test$/, CALLBACK_ERROR), sign(SESSION, /^sealed /, NOTHING)],
  },
  "userinfo-signature": {
    authjs: "The signature of userinfo that comes as a JWT is not verified",
    latchkey: "It is, as that of an id_token is",
    why: "OpenID Connect Core §5.3.4; whoever registers for a signature wants it looked at",
    shows: [sign(/^location$/, /^http:\/\/app\.test$/, CALLBACK_ERROR), sign(SESSION, /^sealed /, NOTHING)],
  },
  "profile-errors": {
    authjs:
      "`profile()` that throws is a redirect to an address that does not exist; a profile without an id gets a random one, so that each sign-in is another account",
    latchkey: "Both are refused: the sign-in page with `error=OAuthCallbackError`",
    why: "An account must be found again",
    shows: [
      sign(/^location$/, /\/callback\/oidc\?code=<code>\S+\/signin$/, CALLBACK_ERROR),
      sign(/^location$/, /^http:\/\/app\.test$/, CALLBACK_ERROR),
      sign(SESSION, /^sealed \{"name":"X"/, NOTHING),
    ],
  },
  "issuer-of-oauth": {
    authjs: "A provider of plain OAuth without `issuer` that sends `iss` (RFC 9207) can't be used",
    latchkey: "`iss` is compared where the provider's `issuer` is known",
    why: "There is nothing to compare with; `state` and PKCE bind the answer",
    shows: [sign(/^location$/, CONFIGURATION, /^http:\/\/app\.test$/), sign(SESSION, NOTHING, /^sealed /)],
  },
  "form-post": {
    authjs:
      "With `response_mode=form_post` cookies get `SameSite=None`, and the callback URL and the session are lost on the way back",
    latchkey: "The posted answer is sealed and sent back to us by a 303: every cookie stays `Lax` and arrives",
    why: "Sign-in with Apple works with PKCE, linking and callback URLs",
    shows: [
      sign(/^1\. status$/, /^302$/, /^303$/),
      sign(/^1\. location$/, /./, /\/auth\/callback\/oidc\?form_post=<sealed>$/),
      sign(/^[12]\. cookie /, /./, NOTHING),
    ],
  },
  "session-tokens": {
    authjs: "Tokens of database sessions are UUIDs",
    latchkey: "256 random bits; `session.generateSessionToken` decides, as ever",
    why: "A token is a secret, not a name",
    shows: [
      sign(SESSION, /^<uuid>; /, /^<256 bits>; /),
      sign(/^(sessions|body)$/, /"sessionToken":"<uuid>"/, /"sessionToken":"<256 bits>"/),
    ],
  },
  "session-unproved": {
    authjs: "A session in a cookie connects accounts to its user until it ends",
    latchkey:
      "With an adapter, it holds the address that was proved when it was opened, as `session_proven_email`, and connects nothing once another address of the user is proved",
    why: "Another person may have opened it with the address, and no server can end it",
    shows: [sign(SESSION, /^sealed \{/, /^sealed \{.*"session_proven_email":"/)],
  },
  "credentials-stored-user": {
    authjs: "Signs in whoever `authorize` returned",
    latchkey:
      "With an adapter, looks the user up: a password that was checked before the owner of the user's address proved it opens no session afterwards",
    why: "The one who set the password may not be the owner of the address",
    shows: [sign(/^call store\.getUser\(/, NOTHING, /^[12]$/)],
  },
  "session-rotation": {
    authjs: "Signing in again as the same person, or linking an account, keeps the database session",
    latchkey: "Every sign-in gives a new token, and deletes the old row",
    why: "A token from before the sign-in may be known to somebody else",
    shows: [sign(/^call store\.(deleteSession|createSession)\(/, /^(\d|-)$/, /^\d$/)],
  },
  "email-verified": {
    authjs: "`allowDangerousEmailAccountLinking` links whatever the provider says of the address",
    latchkey: "Only an address that the provider says is verified links",
    why: "Otherwise an attacker who registers a victim's address at a careless provider gets the victim's account",
    shows: [
      sign(/^location$/, /^http:\/\/app\.test$/, /\/signin\?error=OAuthAccountNotLinked$/),
      sign(/^(accounts|sessions)$/, /^\[\{/, /^\[\]$/),
      sign(SESSION, /^<uuid>; /, NOTHING),
      sign(/^call (event\.(linkAccount|signIn)|store\.(linkAccount|createSession))\(/, /^1$/, NOTHING),
    ],
  },
  "empty-address": {
    authjs: "A provider's empty address is a user's address",
    latchkey: "It is none",
    why: "It would be one address of many people",
  },
  "created-verified": {
    authjs: "A user who is created by a provider's sign-in has `emailVerified: null`, whatever the provider says",
    latchkey:
      "Has the time of the sign-in where a provider with `allowDangerousEmailAccountLinking` says that the address is verified",
    why: "The provider's word proves the address, as a link does",
    shows: [sign(/^users$/, /"emailVerified":null/, /"emailVerified":"<now\+0s>"/)],
  },
  "linked-verified": {
    authjs: "A user whose account is linked by `allowDangerousEmailAccountLinking` keeps `emailVerified: null`",
    latchkey:
      "The sign-in proves the user's address where the provider verified it: `emailVerified` is set, and `mail-pre-registered` applies",
    why: "The owner of the address takes over a user that another person may have registered",
    shows: [
      sign(/^call (event\.updateUser\(\{user\}\)|store\.updateUser\(\{emailVerified, id\}\))$/, NOTHING, /^1$/),
      sign(/^users$/, /"emailVerified":null/, /"emailVerified":"<now\+0s>"/),
    ],
  },
  "unproved-address": {
    authjs: "The address of a user blocks every other account with that address, even if it was never proved",
    latchkey:
      "An address that neither a link nor an account proves blocks no sign-in, where the adapter lists accounts: the sign-in creates a new user. A provider that verified the address moves it to the new user; otherwise the new user has no address",
    why: "An attacker could otherwise register addresses of other people and lock them out",
  },
  "signin-callback-user": {
    authjs:
      "`callbacks.signIn` is asked about the owner of the account, or else about the user that the provider describes, before it is decided which user signs in",
    latchkey:
      "It is asked after the decision, about the user who will be signed in, and not about a sign-in that is refused",
    why: "A banned user could otherwise sign in by a second provider that links by address",
    shows: [sign(/^call signIn\(/, /^[123]$/, /^(-|1|2)$/), sign(/^call store\.getUserByEmail\(/, /^(-|2)$/, /^[13]$/)],
  },
  "second-decision": {
    authjs: "Decides once which user a sign-in belongs to",
    latchkey:
      "Decides again, under a lock on the user where the adapter has one, before an account is linked or an address is proved. The first proof is written together with the address. After the session is opened it looks once more who owns the account, unless the user's address is proved",
    why: "Since the first decision the session may have ended, or the owner of the address may have signed in",
    shows: [
      sign(/^call store\.getSessionAndUser\(/, /^[12]$/, /^[236]$/),
      sign(/^call store\.getUser\(/, NOTHING, /^4$/),
      sign(/^call store\.updateUser\(/, /^(-|1)$/, /^(-|1)$/),
      sign(/^call store\.getUserByEmail\(/, /^[1346]$/, /^[457]$/),
      sign(/^call store\.getUserByAccount\(/, /^[46]$/, /^[78]$/),
    ],
  },
  "changed-address": {
    authjs: "`updateUser` of its adapters keeps `emailVerified` when the address changes",
    latchkey:
      "`updateUser` of our adapters sets it to null, unless the call gives it too; `changeEmail` does so with every adapter",
    why: "The owner of the new address has proved nothing: a link would sign them in as the user who entered it",
  },
  "create-user-event": {
    authjs: "`events.createUser` fires when an account is linked to a known address",
    latchkey: "It fires when a user was created",
    why: "Defect of Auth.js: welcome mails to people who have been there for years",
    shows: [sign(/^call event\.createUser\(/, /^1$/, NOTHING)],
  },
  "create-user-order": {
    authjs: "`events.createUser` fires when the user is stored, before the account is",
    latchkey: "It fires when both are stored, and not at all when one fails: then neither stays",
    why: "Who could not be linked to the account would be told of, and could never sign in",
    shows: [
      sign(
        /^order of calls$/,
        /\nevent\.createUser\(\{user\}\)\nstore\.linkAccount/,
        /\nstore\.linkAccount\([^)]*\)\nevent\.createUser\(\{user\}\)\n/,
      ),
    ],
  },
  "store-down": {
    authjs:
      "A store that fails reads as signed out (`null`, 200); a sign-out that could not delete the session says nothing",
    latchkey: "503 and `next(err)`; the sign-out says so",
    why: "An outage is not a sign-out, and a session that lives on is not ended",
    shows: [
      sign(/^status$/, /^200$/, /^503$/),
      sign(/^body$/, /^null$/, /^\{"message":"Sessions can't be read at the moment/),
      sign(/^location$/, /^http:\/\/app\.test$/, /\/error\?error=SignOutError$/),
      sign(/^call store\.getSessionAndUser\(/, NOTHING, /^1$/),
      sign(SESSION, CLEARED, NOTHING),
    ],
  },
  "credentials-database": {
    authjs:
      "Sign-in with credentials always makes an encrypted cookie; with an adapter it is not found again, and the person stays signed out",
    latchkey: "It makes a session of the configured strategy",
    why: "Defect of Auth.js",
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
    authjs: "Asks the store step by step",
    latchkey:
      "Gathers who is signed in, who owns the account and who has the address (and then once more who owns the account), and then decides",
    why: "The decision is one pure function with a truth table; it costs a read when somebody links an account, and one where the address is known: another process may just have created that user",
    shows: [
      sign(/^call store\.getUser(ByEmail)?\(/, /^(-|1)$/, /^[1-6]$/),
      sign(/^call store\.getUserByEmail\(/, /^[36]$/, /^[245]$/),
      sign(/^call store\.getUserByAccount\(/, /^[12346]$/, /^[1-6]$/),
    ],
  },
  "answer-once": {
    authjs:
      "The answer of a provider or a passkey is good as long as its cookies are there: sent twice at once, it is taken twice",
    latchkey:
      "It is taken once: in a process, and in all that share a store of ours, or another with `claimOnce`, for one write more in each such sign-in",
    why: "RFC 6749 §4.1.2 leaves it to the provider, and not all refuse a code that they have seen",
  },
  "store-retries": {
    authjs: "A user or an account that the store refuses is an error, and so is an address that another user has",
    latchkey:
      "Looks again first, where a store has no transactions also before it refuses an address: another process may have been quicker, and what is there now decides",
    why: "First sign-ins that meet in two processes end in one user, and nobody sees an error",
    shows: [
      sign(/^call store\.getUserByEmail\(/, /^[234]$/, /^[46]$/),
      sign(/^call store\.getUserByAccount\(/, /^[24]$/, /^[68]$/),
    ],
  },
  "mail-order": {
    authjs:
      "Sends the mail and stores the link at the same time: a link may go out that was not stored, and a sender that fails at once ends the process",
    latchkey: "Stores first, then sends; what could not be stored is not sent",
    why: "A link that arrives works",
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
    authjs: "`sendVerificationRequest` gets identifier, url, token, expires, provider, theme and request",
    latchkey:
      "Also `mail`, the subject, text and HTML of the templates, and `signal`, which ends when the time for sending does",
    why: "A sender of your own is one line",
    shows: [sign(/^mail \d also has$/, /^provider, request, theme$/, /^mail, provider, request, signal, theme$/)],
  },
  "mail-return-url": {
    authjs: "A link shows the `callbackUrl` as its requester wrote it",
    latchkey:
      "A link has it sealed, as the parameter `state`. A link with a plain `callbackUrl`, as Auth.js sends it, leads there too",
    why: "A stranger could otherwise put words and addresses into an email that the site sends",
    shows: [sign(/^mail \d$/, /\?callbackUrl=/, /\?state=<sealed>/)],
  },
  "mail-hash": {
    authjs: "Stores `sha256(token + secret)` of a link, the form of the hash in the CSRF cookie",
    latchkey:
      "Stores an HMAC for this purpose alone. Links that Auth.js has stored open for `maxAge` and an hour after the process started",
    why: "A visitor who can write into the table could otherwise make a link of a CSRF cookie",
    shows: [sign(/^call store\.useVerificationToken\(/, /^1$/, /^2$/)],
  },
  "mail-mark": {
    authjs: "The browser that asks for a link is not remembered",
    latchkey:
      "It gets a sealed cookie, `authjs.state.mail`, while the link is valid, and after the link another one, `authjs.state.known`, with hashes of up to three addresses, for 180 days; `cookies.state` names both",
    why: "In that browser the link signs in at once, see `mail-confirm`; and requests of strangers for links to the address leave some for this browser",
    shows: [sign(/^(\d\. )?cookie (__Host-)?authjs\.state\.(mail|known)$/, NOTHING, /^(<sealed>|nothing); /)],
  },
  "mail-confirm": {
    authjs: "Opening a link signs in, whoever opens it, wherever",
    latchkey:
      "Only in the browser that asked for it; anywhere else a page with one button asks first, and names the account. HEAD and prefetching use nothing up",
    why: "A mail scanner would use the link up, and a forwarded link would sign somebody in to another's account",
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
    authjs:
      "Takes most texts with one `@` for an address, `ada,bob@example.com` and `Ada <ada@example.com>` too; international domains stay as they are written",
    latchkey:
      "One address as RFC 5321 has it, 254 characters at most, its domain as A-label (`xn--…`); anything else is refused. A user who is stored with the other form is found",
    why: "A mail library would deliver to somebody else than the user who is looked up (CVE-2022-35924)",
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
    authjs: "A mistyped address, or a `normalizeIdentifier` that throws, is a redirect to `error?error=Configuration`",
    latchkey: "The sign-in page with `error=EmailSignInError`; the address is still in the field",
    why: "People mistype; nobody has misconfigured anything",
    shows: [sign(/^location$/, CONFIGURATION, /\/signin\?error=EmailSignInError$/)],
  },
  "mail-refused": {
    authjs: "A `signIn` callback that refuses who asks for a link is a redirect to `error?error=AccessDenied`",
    latchkey:
      "The answer is the one for a mail that was sent, and takes as long; the log says what happened. At the link itself it is `AccessDenied`",
    why: "Whoever asks would learn who may sign in here",
    shows: [sign(/^location$/, /\/error\?error=AccessDenied$/, /\/verify-request\?provider=mail&type=email$/)],
  },
  "mail-failure": {
    authjs: "A mail that can't be sent is a redirect to `error?error=Configuration`; its link stays stored",
    latchkey:
      "The sign-in page with `error=EmailSignin` and `callbackUrl`; the address is still in the field, and the link is deleted",
    why: "People can try again there",
    shows: [
      sign(/^location$/, CONFIGURATION, /\/signin\?error=EmailSignin(&callbackUrl=\S+)?$/),
      sign(/^call store\.useVerificationToken\(/, NOTHING, /^1$/),
      sign(/^links$/, /^\[\{/, NOTHING),
    ],
  },
  "mail-limit": {
    authjs: "Any number of mails to anybody",
    latchkey:
      "5 in 15 minutes to one address, 20 to its variants and 60 for one client, then the same answer without a mail; `rateLimit` changes it",
    why: "Nobody's mailbox can be filled from here",
    shows: [
      sign(/^call (sendVerificationRequest|signIn|store\.\w+)\(/, /^6$/, /^5$/),
      sign(/^mail 6( also has)?$/, /./, NOTHING),
      sign(/^links$/, /^\[(\{[^}]*\},?){6}\]$/, /^\[(\{[^}]*\},?){5}\]$/),
    ],
  },
  "mail-token-missing": {
    authjs: "A link without its token is a redirect to `error?error=Configuration`",
    latchkey: "`error=Verification`, as for any link that does not work",
    why: "A mail program cut it; nobody has misconfigured anything",
    shows: [sign(/^location$/, CONFIGURATION, /\/error\?error=Verification$/)],
  },
  "mail-post": {
    authjs: "A link that is posted needs no CSRF token",
    latchkey: "It does, as every form",
    why: "Another site could sign a visitor in to its own account",
    shows: [
      sign(/^location$/, /^http:\/\/app\.test$/, /\/signin\?error=MissingCSRF$/),
      sign(/^call (event\.\w+|signIn|store\.\w+)\(/, /^\d$/, /^(-|\d)$/),
      sign(SESSION, /^<uuid>; /, NOTHING),
      sign(/^(users|sessions)$/, /^\[\{/, /^\[\]$/),
      sign(/^links$/, NOTHING, /^\[\{/),
    ],
  },
  "mail-newest": {
    authjs: "Every link that was sent works until its time is over",
    latchkey:
      "With an adapter that has `deleteVerificationTokens`, as ours have, only the newest one of an address, and none after it was used",
    why: "An old mail is no key",
  },
  "mail-timeout": {
    authjs: "Waits for the sender as long as it takes",
    latchkey:
      "8 seconds, or the provider's `sendTimeout`; then `error=EmailSignin`, and the link works if the mail comes all the same",
    why: "A mail server that hangs must not keep people waiting",
  },
  "mail-user-id": {
    authjs: "`account.userId` of a new user is an id that nobody has: the one from before the store gave its own",
    latchkey: "The user's id, in `jwt` and the `signIn` event",
    why: "Defect of Auth.js",
  },
  "mail-pre-registered": {
    authjs:
      "A link, or a provider with `allowDangerousEmailAccountLinking`, signs in to the user of the address, and every session and account of that user stays",
    latchkey:
      "At the first proof of the address, in a browser that is not signed in as its user, the user's sessions end, and accounts and passkeys that do not prove the address are removed, where the adapter can. A page names to the user what was removed, and `events.confirmEmailOwner` reports it",
    why: "An attacker may have registered a victim's address at a careless provider, and waited",
  },
  "linking-asks": {
    authjs: "Links an account to the user of any session cookie that opens, also of one that `callbacks.jwt` has ended",
    latchkey:
      "Asks `callbacks.jwt` first, and again under the lock, unless the account is that user's own: where it returns null, no user is signed in",
    why: "Who has a stolen cookie that was ended must not add a way to sign in",
    shows: [sign(/^call jwt\(\{token\}\)$/, /^-$/, /^[12]$/)],
  },
  "linking-begun": {
    authjs: "Links a new account to whoever is signed in when the browser comes back from the provider",
    latchkey:
      "Only to the user who was signed in when it left for the provider; to somebody else's session it is refused, `OAuthAccountNotLinked`. It takes a look at the session at the beginning",
    why: "A neighbouring host can set the cookie of a sign-in of its own; and somebody else may have signed in to the browser in between",
    shows: [sign(/^call store\.getSessionAndUser\(/, /^[12]$/, /^[2346]$/)],
  },
  "secret-list": {
    authjs:
      "With a list of secrets CSRF tokens are signed with the joined list: a new secret makes all of them invalid",
    latchkey: "Signed with the first, accepted with each, and with the joined list",
    why: "A secret can be replaced without anybody noticing",
    shows: [sign(/^1\. cookie authjs\.csrf-token$/, /joined secrets/, /first secret/)],
  },
  "endpoint-check": {
    authjs: "A provider whose `userinfo` is a `request` function without an address is refused as incomplete",
    latchkey: "It can be used; what is checked is the provider with the application's options merged in",
    why: "Defect of Auth.js",
    shows: [sign(/^status$/, /^500$/, /^200$/), sign(/^body$/, /^\{"message":/, /^\{"oauth":/)],
  },
  "error-status": {
    authjs: "The error page has status 200 for an unknown `error`",
    latchkey: "400",
    why: "The address was made up",
    shows: [sign(/^status$/, /^200$/, /^400$/)],
  },
  "config-check": {
    authjs: "A wrong configuration shows when the first request comes: status 500, one mistake at a time",
    latchkey:
      "`authMiddleware(config)` throws at the start, and lists every mistake with the line to write; slips of the pen too",
    why: "A deployment fails before anybody meets it",
  },
  "config-untouched": {
    authjs: "Writes `basePath`, `secret`, `trustHost`, `providers` and `logger` into the application's object",
    latchkey: "Reads it once and never writes: it may be frozen, and shared by two middlewares",
    why: "Two mounts of one object race for its `basePath`",
  },
  "separate-configs": {
    authjs: "Once a configuration in the process has had a mail provider, every other one needs an adapter",
    latchkey: "Configurations don't know of each other",
    why: "Defect of Auth.js",
  },
  "short-secret": {
    authjs: "Any secret that is not empty",
    latchkey: "Fewer than 32 characters are a warning, and with `NODE_ENV=production` a mistake",
    why: "A session that was sealed with a word can be opened by trying words",
  },
  "no-store": {
    authjs: "`Cache-Control` on `GET /session` and `GET /csrf` alone",
    latchkey: "`private, no-cache, no-store` on every answer",
    why: "Pages have tokens in them, redirects set cookies",
  },
  "page-headers": {
    authjs: "The built-in pages have inline styles and scripts, logos from authjs.dev, and no security headers",
    latchkey:
      "Style sheet and script are files of the package below the base path, nothing comes from elsewhere, a page has a script only where it offers passkeys; a strict `Content-Security-Policy` that forbids frames, `Referrer-Policy: no-referrer`, `Cross-Origin-Opener-Policy: same-origin` unless a page of the site itself opens them",
    why: "A sign-in page is what clickjacking wants",
  },
  "short-sessions": {
    authjs:
      "A database session with a `maxAge` of less than a day is never prolonged: that is due a day after it began",
    latchkey:
      "Without an `updateAge` a session of less than thirty days is prolonged after a thirtieth of that; `absoluteMaxAge` is for an end that no use puts off",
    why: "A session lasts for as long as it is used",
  },
  "session-rolling": {
    authjs:
      "`getSession(req, config)` throws the renewed cookie away: only the browser's own `GET /session` prolongs a session; `updateAge` has no meaning for cookies",
    latchkey:
      "`req.getSession()` puts the renewed cookie on the answer when the session is older than `updateAge`; `GET /session` always, as ever",
    why: "Who uses an application without script stays signed in",
  },
  "token-changes": {
    authjs:
      "Every request has the `jwt` callback begin with the claims of its own cookie, so of two that come together each refreshes a token",
    latchkey:
      "Requests that come together share one call, and for a minute those that still bring the old cookie begin with what was made of it",
    why: "A refresh token is good once: a provider takes the second use for a theft",
  },
  "application-mount": {
    authjs: "Express 5's wildcards (`/auth/*splat`) are answered 400; the base path is always where it is mounted",
    latchkey:
      "Every way to mount works, on Express 4 and 5, Connect and `node:http`; `basePath` and `AUTH_URL` count where they are set",
    why: "Defect of Auth.js",
  },
  "one-origin": {
    authjs:
      "The handler takes the raw `Host`, `getSession` takes `AUTH_URL` and forwarded headers whoever sends them: behind a proxy the two disagree on cookies",
    latchkey: "One origin for both: `AUTH_URL`, else what the application's `trust proxy` makes of the request",
    why: "Sessions that are always null, and hosts that anybody can claim",
  },
  "provider-variables": {
    authjs:
      'A provider with an `id` of its own takes the variables of the usual one: `GitHub({ id: "work" })` is the client `AUTH_GITHUB_ID`',
    latchkey: "It takes those of its own id, `AUTH_WORK_ID`",
    why: "Two providers of one vendor are two clients",
  },
  "env-booleans": {
    authjs: "`AUTH_TRUST_HOST=false` turns it on; an empty variable hides those after it",
    latchkey: "`false`, `0`, `no`, `off` and empty are no",
    why: "Defect of Auth.js",
  },
  "class-adapter": {
    authjs: "Methods of an adapter are called without `this`, inherited ones are not found",
    latchkey: "An adapter may be an instance of a class",
    why: "Defect of Auth.js",
  },
  "cached-metadata": {
    authjs: "Asks for a provider's metadata at every start and every callback",
    latchkey: "Once an hour, one request at a time, the old one while the provider is down; keys likewise",
    why: "Faster, and an outage of a minute is not noticed",
  },
  "bounded-calls": {
    authjs: "Waits for a provider as long as it takes, and reads whatever comes",
    latchkey:
      "8 seconds for the whole of a sign-in and 1 MB at most; redirects are not followed; plain `http:` to this machine alone, unless the provider sets `allowInsecure: true`",
    why: "A provider that hangs must not take the application with it",
  },
} as const satisfies Record<string, Difference>

export type DifferenceId = keyof typeof DIFFERENCES

/** Those that no single answer shows. */
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
