/**
 * Sends a few requests to the running site. The checks of addresses, cookies and caches share the responses.
 *
 * @module
 */
import { trimTrailingSlashes } from "../../base/text.js"
import { DEFAULT_BASE_PATH, DEFAULT_HANDLERS_BASE_PATH } from "../../config/defaults.js"
import { asError } from "../../errors/errors.js"
import { boundedFetch, OUTBOUND_TIMEOUT_MS } from "../../security/outbound.js"
import { createRecordingFetch, parseObject, type RecordedResponse } from "./responses.js"

/**
 * A host that does not exist. If the application uses this host in links, it trusts forwarded headers of any client.
 */
export const FOREIGN_HOST = "doctor.latchkey.invalid"

/** The responses to the doctor's requests, from a site on which the sign-in was found. */
export interface SiteResponses {
  /** The requested origin and base path. */
  readonly base: string
  /** The response of `/providers`. */
  readonly providers: RecordedResponse
  /** The response of `/csrf`. */
  readonly csrf: RecordedResponse
  /** The second response of `/session`. It comes from a cache if a proxy has stored the first response. */
  readonly session: RecordedResponse
  /** The response of `/providers` to a request whose forwarded headers contain `FOREIGN_HOST`. */
  readonly forwarded: RecordedResponse
  /** The response of an https site over http; undefined if the request failed, or for an http site. */
  readonly plainHttp: RecordedResponse | undefined
}

const BASE_PATHS = [DEFAULT_BASE_PATH, DEFAULT_HANDLERS_BASE_PATH]

/**
 * Returns the base URLs at which the sign-in may be. If `url` has a path, they are `url` itself and `url` with the base
 * path appended. Otherwise the configured base path, or each of the default base paths, is appended to the origin.
 */
function candidateBases(url: string, basePath: string | undefined): string[] {
  const { origin, pathname } = new URL(url)
  const urlPath = trimTrailingSlashes(pathname)
  const paths = urlPath ? [urlPath, urlPath + (basePath ?? DEFAULT_BASE_PATH)] : basePath ? [basePath] : BASE_PATHS
  return [...new Set(paths)].map((path) => origin + path)
}

/** Returns the sign-in URLs in a response of `/providers`; undefined if the response is not from this package. */
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

/**
 * The responses of a site on which the sign-in was found. If it was not found, `tried` contains the response of each
 * possible base URL, followed by the responses to the redirects of the first base URL that redirects. If a request
 * failed, `failure` is the message of the error.
 */
export type ProbeResult = SiteResponses | { readonly tried: readonly RecordedResponse[] } | { readonly failure: string }

/** Returns the target of a redirect; undefined for other responses. */
export function readLocation({ url, status, headers }: RecordedResponse): string | undefined {
  const location = headers.get("location")
  return status >= 300 && status < 400 && location !== null && URL.canParse(location, url)
    ? new URL(location, url).href
    : undefined
}

const MAX_HOPS = 5

/** Follows the redirect of a response and up to four further redirects. Returns the new responses in order. */
async function followRedirects(first: RecordedResponse | undefined, get: Get): Promise<RecordedResponse[]> {
  const hops: RecordedResponse[] = []
  for (let next = first && readLocation(first); next !== undefined && hops.length < MAX_HOPS; ) {
    const response = await get(next)
    hops.push(response)
    next = readLocation(response)
  }
  return hops
}

function createForwardedHeaders(base: string): Record<string, string> {
  const proto = base.startsWith("https:") ? "http" : "https"
  const forwarded = `host=${FOREIGN_HOST};proto=${proto}`
  return { "x-forwarded-host": FOREIGN_HOST, "x-forwarded-proto": proto, forwarded }
}

/** Finds the base URL of the sign-in, and requests the endpoints below it. */
async function sendRequests(url: string, basePath: string | undefined): Promise<ProbeResult> {
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
    const forwarded = await get(`${base}/providers`, createForwardedHeaders(base))
    const http = base.replace(/^https:/, "http:")
    const plainHttp = http === base ? undefined : await get(`${http}/providers`).catch(() => undefined)
    return { base, providers, csrf, session, forwarded, plainHttp }
  }
  const redirect = tried.find((response) => readLocation(response) !== undefined)
  return { tried: [...tried, ...(await followRedirects(redirect, get))] }
}

/** As `sendRequests`, but returns the message of an error as `failure` instead of throwing it. */
export const probeSite = (url: string, basePath: string | undefined): Promise<ProbeResult> =>
  sendRequests(url, basePath).catch((error: unknown) => ({ failure: asError(error).message }))
