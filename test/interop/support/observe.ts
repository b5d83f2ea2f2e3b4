/**
 * What a client gets, as facts that two implementations can be compared by: what is random becomes its kind, what is
 * sealed becomes what it says, what is a point in time becomes its distance from now.
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
  /** Addresses that differ from run to run, and what to write for them. */
  readonly names: readonly (readonly [address: string, name: string])[]
}

const UUID = /\b[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\b/g
const ISO = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
const HEX64 = /\b[\da-f]{64}\b/g
/** 32 bytes in base64url. */
const TOKEN = /(?<![\w-])[\w-]{43}(?![\w-])/g
const TIME = /"(iat|exp)":\d+/g
/** Only latchkey has it. */
const ORIGIN = /"session_authentication":"[^"]*",?/g
const CODE = /\bcode=code-[\w-]+/g
const JWE = /\beyJ[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+/g

const YEAR_MS = 365 * 86_400_000

/** Seconds from now, to the minute: a test does not take longer. A time that is far away is a fixed one. */
function fromNow(time: string): string {
  const ms = Date.parse(time) - Date.now()
  return Math.abs(ms) > 2 * YEAR_MS ? time : `<now+${Math.round(ms / 60_000) * 60}s>`
}

function plain(text: string, { names }: Context): string {
  const named = names.reduce(
    (result, [address, name]) =>
      result.replaceAll(address, name).replaceAll(encodeURIComponent(address), encodeURIComponent(name)),
    text,
  )
  return named
    .replace(JWE, "<sealed>")
    .replace(ORIGIN, "")
    .replace(TIME, '"$1":"<time>"')
    .replace(CODE, "code=<code>")
    .replace(HEX64, "<hex64>")
    .replace(TOKEN, "<256 bits>")
    .replace(UUID, "<uuid>")
    .replace(ISO, fromNow)
}

/** Parameters of an authorization request that are drawn by lot. */
const RANDOM = new Set(["state", "nonce", "code_challenge"])

function addressFacts(name: string, location: string, context: Context): Facts {
  if (!location.includes("client_id=")) return { [name]: plain(location, context) }
  const url = new URL(location)
  const params = [...url.searchParams].map(([key, value]) => [
    `${name} ?${key}`,
    RANDOM.has(key) ? "<random>" : plain(value, context),
  ])
  return { [name]: plain(url.origin + url.pathname, context), ...Object.fromEntries(params) }
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}

export const canonical = (value: unknown, context: Context): string =>
  // Dates become text first.
  plain(JSON.stringify(sorted(JSON.parse(JSON.stringify(value ?? null)))), context)

async function bodyFacts(page: Page, context: Context): Promise<Facts> {
  const type = page.headers.get("content-type")?.split(";")[0] ?? ""
  const text = await page.clone().text()
  if (text === "") return type ? { type } : {}
  if (type === "application/json") {
    const value: unknown = JSON.parse(text)
    const url: unknown = Object(value).url
    return {
      type,
      ...(typeof url === "string" ? addressFacts("url", url, context) : { body: canonical(value, context) }),
    }
  }
  // A redirect of Auth.js names no type and has no body; nobody reads either.
  if (type !== "text/html") return { type, body: plain(text, context) }
  const title = /<title>([^<]*)<\/title>/i.exec(text)?.[1]
  if (title === undefined) return { type, body: plain(text.replace(/<[^>]*>/g, " ").trim(), context) }
  const forms = parseForms(text).flatMap((form, i) => {
    const hidden = form.inputs.filter((input) => input.type === "hidden")
    const fields = hidden.map(({ name, value }) => [`form ${i + 1} field ${name}`, plain(value, context)])
    return [[`form ${i + 1}`, plain(`${form.method} ${form.action}`, context)], ...fields]
  })
  return { type, title, ...Object.fromEntries(forms) }
}

/** Without what differs in every session: times, and random ids. Only latchkey has `session_authentication`. */
const without = (claims: object | null): object => {
  const { iat: _i, exp: _e, jti: _j, session_authentication: _o, ...rest } = Object(claims)
  return rest
}

async function opened(
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

/** Which secret a CSRF cookie was made with: both packages take a list, and differ in what they make of it. */
function signerOf(token: string, hash: string, { secrets }: Context): string {
  const [first = "", ...more] = secrets
  const signed = (secret: string) =>
    createHash("sha256")
      .update(token + secret)
      .digest("hex") === hash
  if (signed(first)) return more.length > 0 ? "the first secret" : "the secret"
  return signed(secrets.join(",")) ? "the joined secrets" : "nobody"
}

/** What a cookie's value means. */
async function meaning(name: string, raw: string, context: Context): Promise<string> {
  const value = decodeURIComponent(raw)
  if (value === "") return "nothing"
  const [token = "", hash] = value.split("|")
  if (hash !== undefined) return `<csrf of ${signerOf(token, hash, context)}>`
  const claims = await opened(value, [name, name.replace(/\.\d+$/, "")], context)
  if (!claims) return plain(value, context)
  const { iat, exp } = Object(claims)
  // The checks of Auth.js seal what they compare with.
  const shown = "value" in claims ? { ...claims, value: "<random>" } : claims
  return `sealed ${canonical(without(shown), context)} for ${exp - iat}s`
}

interface SetCookie {
  readonly name: string
  readonly value: string
  readonly attributes: Readonly<Record<string, string | undefined>>
}

/** The value that a chunk is a part of, under the name of the whole. */
function whole({ name, value }: SetCookie, all: readonly SetCookie[]): { name: string; value: string } {
  const base = /^(.+)\.\d+$/.exec(name)?.[1]
  if (base === undefined || value === "") return { name, value }
  const parts = all.filter((other) => other.value !== "" && /^\.\d+$/.test(other.name.slice(base.length)))
  return { name: base, value: parts.map((part) => part.value).join("") }
}

const attributesOf = ({ attributes }: SetCookie): string[] =>
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
    const { name, value } = whole(cookie, all)
    // The part that names a flow is drawn by lot.
    const shown = cookie.name.replace(/(\.state)\.[\w-]{16}$/, "$1.<flow>")
    facts[`cookie ${shown}`] = [await meaning(name, value, context), ...attributesOf(cookie)].join("; ")
  }
  return facts
}

/** Everything of an answer that clients can build on. */
export async function observe(page: Page, context: Context): Promise<Facts> {
  const location = page.headers.get("location")
  return {
    status: String(page.status),
    ...(location !== null && addressFacts("location", location, context)),
    ...(await bodyFacts(page, context)),
    ...(await cookieFacts(page.headers.getSetCookie(), context)),
  }
}

/** How often each function was called; and in which order, for where that is the same. */
export function callFacts(journal: readonly string[]): Facts {
  const counts = new Map<string, number>()
  for (const call of journal) counts.set(call, (counts.get(call) ?? 0) + 1)
  const facts = [...counts].map(([call, count]) => [`call ${call}`, String(count)])
  return { ...Object.fromEntries(facts), [ORDER]: journal.join("\n") }
}

const ORDER = "order of calls"

export type FactPair = readonly [authjs: string, latchkey: string]

export const ABSENT = "-"

/** The facts that are not the same, each with both sides. */
export function compare(authjs: Facts, latchkey: Facts): Record<string, FactPair> {
  const names = [...new Set([...Object.keys(authjs), ...Object.keys(latchkey)])].sort()
  const pairs = names
    .map((name): [string, FactPair] => [name, [authjs[name] ?? ABSENT, latchkey[name] ?? ABSENT]])
    .filter(([, [a, b]]) => a !== b)
  // One call more or less changes the order too, and says it better.
  const hasOtherCalls = pairs.some(([name]) => name.startsWith("call "))
  return Object.fromEntries(pairs.filter(([name]) => !(hasOtherCalls && name === ORDER)))
}
