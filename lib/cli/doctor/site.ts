/**
 * Sends a few requests to the site, as a browser would. The checks of addresses, cookies and caches share them.
 *
 * @module
 */
import { trimTrailingSlashes } from "../../base/text.js"
import { DEFAULT_BASE_PATH, DEFAULT_HANDLERS_BASE_PATH } from "../../config/defaults.js"
import { asError } from "../../errors/errors.js"
import { boundedFetch, OUTBOUND_TIMEOUT_MS } from "../../security/outbound.js"
import { createRecordingFetch, parseObject, type RecordedResponse } from "./responses.js"

/** A host that no proxy serves. An application that uses it for links trusts the headers of any visitor. */
export const FOREIGN_HOST = "doctor.latchkey.invalid"

/** The responses of a site to the requests of the doctor. */
export interface Site {
  /** The requested origin and base path. */
  readonly base: string
  /** The response of `/providers`. */
  readonly providers: RecordedResponse
  /** The response of `/csrf`. */
  readonly csrf: RecordedResponse
  /** The second response of `/session`, which would come from a cache if there is one. */
  readonly session: RecordedResponse
  /** The response to a request with forwarded headers that name another host. */
  readonly forwarded: RecordedResponse
  /** The response over http of an https site; undefined if no server listens. */
  readonly plainHttp: RecordedResponse | undefined
}

const BASE_PATHS = [DEFAULT_BASE_PATH, DEFAULT_HANDLERS_BASE_PATH]

/** The possible addresses of the sign-in: the given path or the default ones. */
function candidateBases(url: string, basePath: string | undefined): string[] {
  const { origin, pathname } = new URL(url)
  const given = trimTrailingSlashes(pathname)
  const paths = given ? [given, given + (basePath ?? DEFAULT_BASE_PATH)] : basePath ? [basePath] : BASE_PATHS
  return [...new Set(paths)].map((path) => origin + path)
}

/** The sign-in addresses in a response of `/providers`; undefined if another program responded. */
export function readSignInUrls(response: RecordedResponse): string[] | undefined {
  const found = response.status === 200 ? parseObject(response) : undefined
  const rows = Object.values(found ?? {}).map((row): unknown => Object(row).signinUrl)
  return found && rows.every((url) => typeof url === "string" && URL.canParse(url)) ? rows.map(String) : undefined
}

type Get = (address: string, headers?: Record<string, string>) => Promise<RecordedResponse>

function createGet(): Get {
  const { fetch, responses } = createRecordingFetch(globalThis.fetch)
  const bounded = boundedFetch(fetch, AbortSignal.timeout(OUTBOUND_TIMEOUT_MS))
  return async (address, headers = {}) => {
    await bounded(address, { headers: { accept: "application/json", ...headers } })
    const response = responses.findLast(({ url }) => url === address)
    if (!response) throw new Error(`${address} did not answer`)
    return response
  }
}

/** The responses of a site, those where no sign-in was found with the redirects that follow them, or the failure. */
export type SiteAnswers = Site | { readonly tried: readonly RecordedResponse[] } | { readonly failure: string }

/** The target of a redirect; undefined for other responses. */
export function readLocation({ url, status, headers }: RecordedResponse): string | undefined {
  const location = headers.get("location")
  return status >= 300 && status < 400 && location !== null && URL.canParse(location, url)
    ? new URL(location, url).href
    : undefined
}

const MAX_HOPS = 5

/** Follows redirects and returns the responses in order. */
async function followRedirects(first: RecordedResponse | undefined, get: Get): Promise<RecordedResponse[]> {
  const hops: RecordedResponse[] = []
  for (let next = first && readLocation(first); next !== undefined && hops.length < MAX_HOPS; ) {
    const response = await get(next)
    hops.push(response)
    next = readLocation(response)
  }
  return hops
}

function foreignHeaders(base: string): Record<string, string> {
  const proto = base.startsWith("https:") ? "http" : "https"
  const forwarded = `host=${FOREIGN_HOST};proto=${proto}`
  return { "x-forwarded-host": FOREIGN_HOST, "x-forwarded-proto": proto, forwarded }
}

/** Sends the requests to the sign-in at its path, or at a default path. */
async function sendRequests(url: string, basePath: string | undefined): Promise<SiteAnswers> {
  const get = createGet()
  const tried: RecordedResponse[] = []
  for (const base of candidateBases(url, basePath)) {
    const providers = await get(`${base}/providers`)
    if (!readSignInUrls(providers)) {
      tried.push(providers)
      continue
    }
    const csrf = await get(`${base}/csrf`)
    await get(`${base}/session`)
    const session = await get(`${base}/session`)
    const forwarded = await get(`${base}/providers`, foreignHeaders(base))
    const http = base.replace(/^https:/, "http:")
    const plainHttp = http === base ? undefined : await get(`${http}/providers`).catch(() => undefined)
    return { base, providers, csrf, session, forwarded, plainHttp }
  }
  return { tried: [...tried, ...(await followRedirects(tried[0], get))] }
}

/** Asks the site at an address. */
export const askSite = (url: string, basePath: string | undefined): Promise<SiteAnswers> =>
  sendRequests(url, basePath).catch((error: unknown) => ({ failure: asError(error).message }))
