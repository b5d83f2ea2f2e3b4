/**
 * What is wrong with the names and attributes of cookies. Pure.
 *
 * @module
 */
import { asError, configProblem } from "../errors.js"
import { createCookieSet, serialise } from "../http/cookies.js"
import type { CookieOption, CookieSerializeOptions } from "../types.js"
import type { Check, Finding } from "./finding.js"
import type { ResolvedConfig } from "./resolve.js"

/** Characters that would end a cookie's name or attribute and begin another (RFC 6265 §4.1.1). */
const COOKIE_NAME = /^[\w!#$%&'*.^`|~+-]+$/
const ATTRIBUTE = /^[^;,\s\p{Cc}]*$/u

/** What the prefix of a cookie's name asks of it, and browsers refuse it without (RFC 6265bis §4.1.3). */
function checkPrefix(key: string, { name, options }: CookieOption, isNameSure: boolean): Finding[] {
  const isHostOnly = options.domain === undefined && options.path === "/"
  const [prefix = ""] = /^__(?:host|secure)-/i.exec(name) ?? []
  const broken = [
    ...(/host/i.test(prefix) && !isHostOnly ? ["a domain or a path"] : []),
    ...(prefix && isNameSure && options.secure === false ? ["secure: false"] : []),
  ]
  return broken.map((what) =>
    configProblem(
      "cookie-invalid",
      `cookies.${key}.options`,
      `has ${what} beside the name ${prefix}…, and browsers refuse such a cookie. Leave it out, or write another name`,
    ),
  )
}

/** Written once on trial: what can't be written would fail at each request. */
function checkCookieAttributes(key: string, options: CookieSerializeOptions = {}): Finding[] {
  try {
    serialise({ name: "trial", value: "trial", options })
    return []
  } catch (error) {
    return [configProblem("cookie-invalid", `cookies.${key}.options`, `can't be written: ${asError(error).message}`)]
  }
}

/**
 * As they are over https, where the site is there or may be. Without a scheme `secure: false` may be meant for plain http,
 * where no name of ours has a prefix.
 */
function checkPrefixes({ cookies, session, useSecureCookies, canonicalOrigin }: ResolvedConfig): Finding[] {
  const isSecure = useSecureCookies ?? canonicalOrigin?.startsWith("https:")
  const set = createCookieSet(isSecure ?? true, { cookies, hostPrefix: session.hostPrefix })
  return (Object.keys(cookies) as (keyof typeof cookies)[])
    .filter((key) => Object.hasOwn(set, key) && typeof set[key].name === "string")
    .flatMap((key) => checkPrefix(key, set[key], isSecure !== undefined || cookies[key]?.name !== undefined))
}

export const checkCookies: Check = (_, config) => [
  ...checkPrefixes(config),
  ...Object.entries(config.cookies).flatMap(([key, cookie]) => [
    ...(cookie?.name !== undefined && !(typeof cookie.name === "string" && COOKIE_NAME.test(cookie.name))
      ? [
          configProblem(
            "cookie-invalid",
            `cookies.${key}.name`,
            `is ${JSON.stringify(cookie.name)}. Write letters, digits, ".", "_" and "-"`,
          ),
        ]
      : []),
    ...checkCookieAttributes(key, cookie?.options),
    ...(["domain", "path"] as const)
      .filter((name) => cookie?.options?.[name] !== undefined && !ATTRIBUTE.test(String(cookie.options[name])))
      .map((name) =>
        configProblem(
          "cookie-invalid",
          `cookies.${key}.options.${name}`,
          `is ${JSON.stringify(cookie?.options?.[name])}, which no cookie can carry`,
        ),
      ),
  ]),
]
