import { join } from "node:path"
import { memoize } from "../../base/memoize.js"
import type { AuthCall } from "../../http/call.js"
import { MAX_PASSKEY_NAME_LENGTH } from "../../pages/passkeys-props.js"
import { builtInFolder, readText } from "../../pages/templates.js"
import type { MethodRuntime } from "../method.js"

type NamePatterns = readonly (readonly [pattern: RegExp, name: string])[]

/** Patterns for the `User-Agent` header. The first match is used, because most browsers also name other browsers. */
const BROWSERS: NamePatterns = [
  [/\bEdg(?:A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS)\//, "Chrome"],
  [/\bVersion\/.* Safari\//, "Safari"],
]
const PLATFORMS: NamePatterns = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
]

/** Reads the names of authenticators by AAGUID from a file, once. The names are only for display and prove nothing. */
const authenticatorNames = memoize((): ReadonlyMap<string, string> => {
  const text = readText(join(builtInFolder(), "authenticator-names.json"))
  // scripts/authenticator-names.mjs writes this file.
  const { names } = JSON.parse(text) as { readonly names: Readonly<Record<string, string>> }
  return new Map(Object.entries(names))
})

const MAX_USER_AGENT_LENGTH = 500
const SEPARATOR = " · "

const findName = (patterns: NamePatterns, text: string): string | undefined =>
  patterns.find(([pattern]) => pattern.test(text))?.[1]

/**
 * Returns the default name of a new passkey: authenticator, browser, platform and date. Unknown parts are left out. If
 * the name is too long, its last parts are left out. The names come from fixed lists, because authenticators and
 * browsers may send any text. Undefined if the authenticator, the browser and the platform are all unknown.
 *
 * @example
 * defaultName("ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4", call, runtime)
 * // "Google Password Manager · Chrome on Windows · Nov 23, 2026"
 */
export function defaultName(
  aaguid: string,
  call: Pick<AuthCall, "headers">,
  runtime: MethodRuntime,
): string | undefined {
  const { lang, t } = runtime.languages.for(call.headers.get("accept-language"))
  const agent = (call.headers.get("user-agent") ?? "").slice(0, MAX_USER_AGENT_LENGTH)
  const [browser, platform] = [findName(BROWSERS, agent), findName(PLATFORMS, agent)]
  const device = browser && platform ? t("device", { browser, platform }) : (browser ?? platform)
  const authenticator = authenticatorNames().get(aaguid)
  const parts = [authenticator, device].filter((part) => part !== undefined)
  if (parts.length === 0) return undefined
  const name = parts.join(SEPARATOR)
  const date = new Date(runtime.now()).toLocaleDateString(lang, { dateStyle: "medium" })
  return [name + SEPARATOR + date, name, parts[0]].find((text = "") => [...text].length <= MAX_PASSKEY_NAME_LENGTH)
}
