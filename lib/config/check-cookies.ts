/**
 * Checks the names and attributes of cookies. Pure.
 *
 * @module
 */

import type { CookieOption, CookieSerializeOptions } from "../base/types.js"
import { asError, invalidOption, listProblems } from "../errors/errors.js"
import { createCookieSet, serialise } from "../http/cookies.js"
import type { Check, Finding } from "./finding.js"
import type { ResolvedConfig } from "./resolved-config.js"

/** Matches a cookie name, which is an HTTP token (RFC 6265 §4.1.1). */
const COOKIE_NAME = /^[\w!#$%&'*.^`|~+-]+$/
/** Matches an attribute value without commas, semicolons, white space and control characters. */
const ATTRIBUTE_VALUE = /^[^;,\s\p{Cc}]*$/u

/** Checks a name prefix. Browsers reject a cookie whose attributes its prefix does not allow (RFC 6265bis §4.1.3). */
function checkPrefix(key: string, { name, options }: CookieOption, isPrefixCertain: boolean): Finding[] {
  const isHostOnly = options.domain === undefined && options.path === "/"
  const [prefix = ""] = /^__(?:host|secure)-/i.exec(name) ?? []
  const violations = [
    ...(/host/i.test(prefix) && !isHostOnly ? ["a domain or a path other than /"] : []),
    ...(prefix && isPrefixCertain && options.secure === false ? ["secure: false"] : []),
  ]
  return violations.map((violation) =>
    invalidOption(
      `cookies.${key}.options`,
      `has ${violation}, which the name prefix ${prefix} forbids: browsers reject such a cookie`,
      "Remove it, or choose another name",
    ),
  )
}

/** Serialises a sample cookie to find invalid attributes, which would otherwise fail at each request. */
function checkCookieAttributes(key: string, options: CookieSerializeOptions = {}): Finding[] {
  try {
    serialise({ name: "trial", value: "trial", options })
    return []
  } catch (error) {
    const seen = `can't be serialised: ${asError(error).message}`
    return [invalidOption(`cookies.${key}.options`, seen, "Change the attribute")]
  }
}

/**
 * Checks the name prefixes of the cookies. If it is unknown whether the site uses https, the names for https are
 * checked, but `secure: false` is then accepted for a cookie with a default name, which has no prefix on http.
 */
function checkPrefixes({ cookies, session, useSecureCookies, canonicalOrigin }: ResolvedConfig): Finding[] {
  const isSecure = useSecureCookies ?? canonicalOrigin?.startsWith("https:")
  const cookieSet = createCookieSet(isSecure ?? true, { cookies, hostPrefix: session.hostPrefix })
  return (Object.keys(cookies) as (keyof typeof cookies)[])
    .filter((key) => Object.hasOwn(cookieSet, key) && typeof cookieSet[key].name === "string")
    .flatMap((key) => checkPrefix(key, cookieSet[key], isSecure !== undefined || cookies[key]?.name !== undefined))
}

/**
 * Rejects a configured lifetime of the session cookie unless `session.remember` is true: a browser would keep the
 * cookie even of a user who did not choose to stay signed in.
 */
const checkLifetime = ({ cookies, session }: ResolvedConfig): Finding[] =>
  (["maxAge", "expires"] as const)
    .filter((name) => session.remember !== true && cookies.sessionToken?.options?.[name] !== undefined)
    .map((name) =>
      invalidOption(
        `cookies.sessionToken.options.${name}`,
        `is set, so browsers keep the cookie when they are closed, but session.remember is ${String(session.remember)}`,
        "Remove it",
      ),
    )

export const checkCookies: Check = (_, config) => [
  ...checkPrefixes(config),
  ...checkLifetime(config),
  ...Object.entries(config.cookies).flatMap(([key, cookie]) =>
    listProblems(
      cookie?.name !== undefined &&
        !(typeof cookie.name === "string" && COOKIE_NAME.test(cookie.name)) &&
        invalidOption(
          `cookies.${key}.name`,
          `is ${JSON.stringify(cookie.name)}`,
          'Write letters, digits, ".", "_" and "-"',
        ),
      ...checkCookieAttributes(key, cookie?.options),
      ...(["domain", "path"] as const).map(
        (name) =>
          cookie?.options?.[name] !== undefined &&
          !ATTRIBUTE_VALUE.test(String(cookie.options[name])) &&
          invalidOption(
            `cookies.${key}.options.${name}`,
            `is ${JSON.stringify(cookie.options[name])}, which contains a character that a cookie can't have`,
            "Remove it",
          ),
      ),
    ),
  ),
]
