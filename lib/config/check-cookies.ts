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

/** The characters of a cookie name, a token (RFC 6265 §4.1.1). */
const COOKIE_NAME = /^[\w!#$%&'*.^`|~+-]+$/
/** An attribute value without a semicolon, white space or control characters. */
const ATTRIBUTE = /^[^;,\s\p{Cc}]*$/u

/** Browsers reject a cookie with a name prefix unless its attributes satisfy the prefix (RFC 6265bis §4.1.3). */
function checkPrefix(key: string, { name, options }: CookieOption, isPrefixCertain: boolean): Finding[] {
  const isHostOnly = options.domain === undefined && options.path === "/"
  const [prefix = ""] = /^__(?:host|secure)-/i.exec(name) ?? []
  const broken = [
    ...(/host/i.test(prefix) && !isHostOnly ? ["a domain or a path other than /"] : []),
    ...(prefix && isPrefixCertain && options.secure === false ? ["secure: false"] : []),
  ]
  return broken.map((what) =>
    invalidOption(
      `cookies.${key}.options`,
      `has ${what}, which the name prefix ${prefix} forbids: browsers reject such a cookie`,
      "Remove it, or choose another name",
    ),
  )
}

/** Serialises a sample cookie, because invalid attributes would fail at each request. */
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
 * Checks the cookies with their names on https, unless the site is known to use http. If the scheme is unknown, a cookie
 * with a default name is not checked for `secure: false`, because on http the default names have no prefix.
 */
function checkPrefixes({ cookies, session, useSecureCookies, canonicalOrigin }: ResolvedConfig): Finding[] {
  const isSecure = useSecureCookies ?? canonicalOrigin?.startsWith("https:")
  const set = createCookieSet(isSecure ?? true, { cookies, hostPrefix: session.hostPrefix })
  return (Object.keys(cookies) as (keyof typeof cookies)[])
    .filter((key) => Object.hasOwn(set, key) && typeof set[key].name === "string")
    .flatMap((key) => checkPrefix(key, set[key], isSecure !== undefined || cookies[key]?.name !== undefined))
}

/** A lifetime among the attributes would also apply to a cookie that ends with the browser. */
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
          !ATTRIBUTE.test(String(cookie.options[name])) &&
          invalidOption(
            `cookies.${key}.options.${name}`,
            `is ${JSON.stringify(cookie.options[name])}, which contains a character that a cookie can't have`,
            "Remove it",
          ),
      ),
    ),
  ),
]
