/**
 * Converts a response to facts that can be compared between the two packages. Random values are replaced by their kind,
 * encrypted values by their contents, and times by their distance from now.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { decode } from "@auth/core/jwt"
import type { Page } from "../../support/browser.js"
import { parseSetCookie } from "../../support/cookie-jar.js"
import { parseForms } from "../../support/html.js"

export type Facts = Record<string, string>

export interface Context {
  readonly secrets: readonly string[]
  /** URLs that differ between runs, and the names that replace them. */
  readonly names: readonly (readonly [address: string, name: string])[]
}

const UUID = /\b[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\b/g
const ISO = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
const HEX64 = /\b[\da-f]{64}\b/g
/** 32 bytes in base64url. */
const TOKEN = /(?<![\w-])[\w-]{43}(?![\w-])/g
const TIME = /"(iat|exp)":\d+/g
/** A claim that only latchkey adds. */
const AUTHENTICATION_CLAIM = /"session_authentication":"[^"]*",?/g
const CODE = /\bcode=code-[\w-]+/g
const JWE = /\beyJ[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+/g

const YEAR_MS = 365 * 86_400_000

/**
 * The distance from now in seconds, rounded to minutes because a test takes less. A time that is more than two years away
 * is a constant and is not replaced.
 */
function fromNow(time: string): string {
  const ms = Date.parse(time) - Date.now()
  return Math.abs(ms) > 2 * YEAR_MS ? time : `<now+${Math.round(ms / 60_000) * 60}s>`
}

function normalize(text: string, { names }: Context): string {
  const named = names.reduce(
    (result, [address, name]) =>
      result.replaceAll(address, name).replaceAll(encodeURIComponent(address), encodeURIComponent(name)),
    text,
  )
  return named
    .replace(JWE, "<sealed>")
    .replace(AUTHENTICATION_CLAIM, "")
    .replace(TIME, '"$1":"<time>"')
    .replace(CODE, "code=<code>")
    .replace(HEX64, "<hex64>")
    .replace(TOKEN, "<256 bits>")
    .replace(UUID, "<uuid>")
    .replace(ISO, fromNow)
}

/** The random parameters of an authorization request. */
const RANDOM = new Set(["state", "nonce", "code_challenge"])

function urlFacts(name: string, location: string, context: Context): Facts {
  if (!location.includes("client_id=")) return { [name]: normalize(location, context) }
  const url = new URL(location)
  const params = [...url.searchParams].map(([key, value]) => [
    `${name} ?${key}`,
    RANDOM.has(key) ? "<random>" : normalize(value, context),
  ])
  return { [name]: normalize(url.origin + url.pathname, context), ...Object.fromEntries(params) }
}

const sortMembers = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sortMembers(member)]),
  )
}

export const canonical = (value: unknown, context: Context): string =>
  // The inner conversion to JSON turns dates into text.
  normalize(JSON.stringify(sortMembers(JSON.parse(JSON.stringify(value ?? null)))), context)

async function bodyFacts(page: Page, context: Context): Promise<Facts> {
  const type = page.headers.get("content-type")?.split(";")[0] ?? ""
  const text = await page.clone().text()
  if (text === "") return type ? { type } : {}
  if (type === "application/json") {
    const value: unknown = JSON.parse(text)
    const url: unknown = Object(value).url
    return {
      type,
      ...(typeof url === "string" ? urlFacts("url", url, context) : { body: canonical(value, context) }),
    }
  }
  if (type !== "text/html") return { type, body: normalize(text, context) }
  const title = /<title>([^<]*)<\/title>/i.exec(text)?.[1]
  if (title === undefined) return { type, body: normalize(text.replace(/<[^>]*>/g, " ").trim(), context) }
  const forms = parseForms(text).flatMap((form, i) => {
    const hidden = form.inputs.filter((input) => input.type === "hidden")
    const fields = hidden.map(({ name, value }) => [`form ${i + 1} field ${name}`, normalize(value, context)])
    return [[`form ${i + 1}`, normalize(`${form.method} ${form.action}`, context)], ...fields]
  })
  return { type, title, ...Object.fromEntries(forms) }
}

/** Removes the claims that differ in every session, and `session_authentication`, which only latchkey adds. */
const removeChangingClaims = (claims: object | null): object => {
  const { iat: _i, exp: _e, jti: _j, session_authentication: _o, ...rest } = Object(claims)
  return rest
}

async function decrypt(
  value: string,
  names: readonly string[],
  { secrets }: Context,
): Promise<object | null | undefined> {
  for (const salt of names) {
    const claims = await decode({ token: value, secret: [...secrets], salt }).catch(() => undefined)
    if (claims) return claims
  }
  return undefined
}

/** Finds the secret that signed a CSRF cookie. With a list, latchkey uses the first secret, and Auth.js the joined list. */
function findSigner(token: string, hash: string, { secrets }: Context): string {
  const [first = "", ...more] = secrets
  const signed = (secret: string) =>
    createHash("sha256")
      .update(token + secret)
      .digest("hex") === hash
  if (signed(first)) return more.length > 0 ? "the first secret" : "the secret"
  return signed(secrets.join(",")) ? "the joined secrets" : "nobody"
}

/** Describes the value of a cookie. */
async function describeValue(name: string, raw: string, context: Context): Promise<string> {
  const value = decodeURIComponent(raw)
  if (value === "") return "nothing"
  const [token = "", hash] = value.split("|")
  if (hash !== undefined) return `<csrf of ${findSigner(token, hash, context)}>`
  const claims = await decrypt(value, [name, name.replace(/\.\d+$/, "")], context)
  if (!claims) return normalize(value, context)
  const { iat, exp } = Object(claims)
  // The cookies for the checks of Auth.js contain an encrypted random value.
  const shown = "value" in claims ? { ...claims, value: "<random>" } : claims
  return `sealed ${canonical(removeChangingClaims(shown), context)} for ${exp - iat}s`
}

interface SetCookie {
  readonly name: string
  readonly value: string
  readonly attributes: Readonly<Record<string, string | undefined>>
}

/** The joined value of a cookie in chunks, with the name of the cookie without the chunk number. */
function joinChunks({ name, value }: SetCookie, all: readonly SetCookie[]): { name: string; value: string } {
  const base = /^(.+)\.\d+$/.exec(name)?.[1]
  if (base === undefined || value === "") return { name, value }
  const parts = all.filter((other) => other.value !== "" && /^\.\d+$/.test(other.name.slice(base.length)))
  return { name: base, value: parts.map((part) => part.value).join("") }
}

const listAttributes = ({ attributes }: SetCookie): string[] =>
  Object.entries(attributes)
    .map(([key, text]) => {
      if (key === "expires") return `expires=${fromNow(text ?? "")}`
      return text ? `${key}=${text}` : key
    })
    .sort()

async function cookieFacts(headers: readonly string[], context: Context): Promise<Facts> {
  const all = headers.map(parseSetCookie)
  const facts: Facts = {}
  for (const cookie of all) {
    const { name, value } = joinChunks(cookie, all)
    // The id of a flow in the name is random.
    const shown = cookie.name.replace(/(\.state)\.[\w-]{16}$/, "$1.<flow>")
    facts[`cookie ${shown}`] = [await describeValue(name, value, context), ...listAttributes(cookie)].join("; ")
  }
  return facts
}

/** All facts of a response on which clients may depend. */
export async function observe(page: Page, context: Context): Promise<Facts> {
  const location = page.headers.get("location")
  return {
    status: String(page.status),
    ...(location !== null && urlFacts("location", location, context)),
    ...(await bodyFacts(page, context)),
    ...(await cookieFacts(page.headers.getSetCookie(), context)),
  }
}

/** The number of calls of each function, and the order of all calls. */
export function callFacts(journal: readonly string[]): Facts {
  const counts = new Map<string, number>()
  for (const call of journal) counts.set(call, (counts.get(call) ?? 0) + 1)
  const facts = [...counts].map(([call, count]) => [`call ${call}`, String(count)])
  return { ...Object.fromEntries(facts), [ORDER]: journal.join("\n") }
}

const ORDER = "order of calls"

export type FactPair = readonly [authjs: string, latchkey: string]

export const ABSENT = "-"

/** The facts that differ, with both values. */
export function compare(authjs: Facts, latchkey: Facts): Record<string, FactPair> {
  const names = [...new Set([...Object.keys(authjs), ...Object.keys(latchkey)])].sort()
  const pairs = names
    .map((name): [string, FactPair] => [name, [authjs[name] ?? ABSENT, latchkey[name] ?? ABSENT]])
    .filter(([, [a, b]]) => a !== b)
  // The order is reported only if the numbers of calls are equal, because other numbers always change it.
  const hasOtherCalls = pairs.some(([name]) => name.startsWith("call "))
  return Object.fromEntries(pairs.filter(([name]) => !(hasOtherCalls && name === ORDER)))
}
