/**
 * The application as a browser finds it: a few requests, which the checks of addresses, cookies and caches share.
 *
 * @module
 */

import { DEFAULT_BASE_PATH, DEFAULT_HANDLERS_BASE_PATH } from "../../config/defaults.js"
import { trimTrailingSlashes } from "../../http/trim-slashes.js"
import { boundedFetch, OUTBOUND_TIMEOUT_MS } from "../../security/outbound.js"
import { type Answer, objectIn, watchedFetch } from "./watched-fetch.js"

/** A host that no proxy serves, and a scheme that is not the asked one: whoever believes them believes anybody. */
export const STRANGE_HOST = "doctor.latchkey.invalid"

export interface Site {
  /** What was asked: the origin and the base path. */
  readonly base: string
  readonly providers: Answer
  readonly csrf: Answer
  /** Asked twice: a cache answers the second time. */
  readonly session: Answer
  /** With forwarded headers that name another host. */
  readonly forwarded: Answer
  /** The same address on http, where it is on https; undefined where nobody listens. */
  readonly plain: Answer | undefined
}

const BASE_PATHS = [DEFAULT_BASE_PATH, DEFAULT_HANDLERS_BASE_PATH]

/** Where the sign-in may be: the path that was given, or where it is by default. */
function basesOf(url: string, basePath: string | undefined): string[] {
  const { origin, pathname } = new URL(url)
  const given = trimTrailingSlashes(pathname)
  const paths = given ? [given, given + (basePath ?? DEFAULT_BASE_PATH)] : basePath ? [basePath] : BASE_PATHS
  return [...new Set(paths)].map((path) => origin + path)
}

/** Does somebody of ours answer? Every provider has an address of its own to begin at. */
export function signInUrlsIn(answer: Answer): string[] | undefined {
  const found = answer.status === 200 ? objectIn(answer) : undefined
  const rows = Object.values(found ?? {}).map((row): unknown => Object(row).signinUrl)
  return found && rows.every((url) => typeof url === "string" && URL.canParse(url)) ? rows.map(String) : undefined
}

type Get = (address: string, headers?: Record<string, string>) => Promise<Answer>

function createGet(): Get {
  const { fetch, answers } = watchedFetch(globalThis.fetch)
  const bounded = boundedFetch(fetch, AbortSignal.timeout(OUTBOUND_TIMEOUT_MS))
  return async (address, headers = {}) => {
    await bounded(address, { headers: { accept: "application/json", ...headers } })
    const answer = answers.findLast(({ url }) => url === address)
    if (!answer) throw new Error(`${address} gave no answer`)
    return answer
  }
}

export type Found =
  | { readonly base: string; readonly providers: Answer }
  /** What answered in its place, and where that leads. */
  | { readonly tried: readonly Answer[] }

/** Where below an address the sign-in is: at the path that the address has, or where it is by default. */
export async function findSignIn(url: string, basePath: string | undefined, get = createGet()): Promise<Found> {
  const tried: Answer[] = []
  for (const base of basesOf(url, basePath)) {
    const providers = await get(`${base}/providers`)
    if (signInUrlsIn(providers)) return { base, providers }
    tried.push(providers)
  }
  return { tried: [...tried, ...(await follow(tried[0], get))] }
}

/** Where an answer does not say that another address is meant, undefined. */
export function locationOf({ url, status, headers }: Answer): string | undefined {
  const location = headers.get("location")
  return status >= 300 && status < 400 && location !== null && URL.canParse(location, url)
    ? new URL(location, url).href
    : undefined
}

const MAX_HOPS = 5

/** The answers that a redirect leads to, one after the other. */
async function follow(first: Answer | undefined, get: Get): Promise<Answer[]> {
  const hops: Answer[] = []
  for (let next = first && locationOf(first); next !== undefined && hops.length < MAX_HOPS; ) {
    const answer = await get(next)
    hops.push(answer)
    next = locationOf(answer)
  }
  return hops
}

/** The answers of an application, or what answered in its place. */
export async function askSite(
  url: string,
  basePath: string | undefined,
): Promise<Site | Exclude<Found, { base: string }>> {
  const get = createGet()
  const found = await findSignIn(url, basePath, get)
  if (!("base" in found)) return found
  const { base, providers } = found
  const csrf = await get(`${base}/csrf`)
  await get(`${base}/session`)
  const session = await get(`${base}/session`)
  const forwarded = await get(`${base}/providers`, strangeHeaders(base))
  const plain = base.startsWith("https:") ? await get(onHttp(base)).catch(() => undefined) : undefined
  return { base, providers, csrf, session, forwarded, plain }
}

function strangeHeaders(base: string): Record<string, string> {
  const scheme = base.startsWith("https:") ? "http" : "https"
  return {
    "x-forwarded-host": STRANGE_HOST,
    "x-forwarded-proto": scheme,
    forwarded: `host=${STRANGE_HOST};proto=${scheme}`,
  }
}

const onHttp = (base: string): string => `http:${base.slice("https:".length)}/providers`
