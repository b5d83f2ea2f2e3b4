import type { AuthCall } from "../../../../lib/http/call.js"
import { finishOAuth, resumeOAuth } from "../../../../lib/methods/oauth/finish.js"
import { redirectPostToGet } from "../../../../lib/methods/oauth/form-post.js"
import { customFetch } from "../../../../lib/symbols.js"
import {
  type BrowserRequest,
  callOf,
  createSite,
  providerOf,
  type StartRequest,
  startFlow,
  type TestSite,
} from "./test-site.js"

/** The responses of a provider's endpoints, by path. */
export type Responses = Readonly<Record<string, (request: Request) => Response | Promise<Response>>>

export const TOKENS = { access_token: "the access token", token_type: "Bearer" }
export const ADA = { sub: "7", name: "Ada", email: "ada@example.com" }

/** The responses of a correct provider. */
const DEFAULTS: Responses = { "/token": () => Response.json(TOKENS), "/me": () => Response.json(ADA) }

/** Creates a `fetch` that serves a provider's endpoints and records the requests. */
export function fakeEndpoints(responses: Responses = {}) {
  const requests: Request[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    requests.push(request.clone())
    const respond = { ...DEFAULTS, ...responses }[new URL(request.url).pathname]
    if (!respond) throw new Error(`the provider has no endpoint at ${request.url}`)
    return respond(request)
  }
  return { requests, fetch, provider: { [customFetch]: fetch } }
}

/** A site with one provider that has these responses. */
export const siteWith = (responses: Responses = {}, provider: object = {}, config: object = {}): TestSite =>
  createSite({ ...fakeEndpoints(responses).provider, ...provider }, config)

export const CODE = "the code of the response"

/** Starts a sign-in, and returns the request that the browser makes when it returns from the provider. */
export async function callbackRequest(
  site: TestSite,
  query: Record<string, string> = {},
  start: StartRequest = {},
): Promise<BrowserRequest> {
  const { state, cookies } = await startFlow(site, start)
  return { cookies, query: { code: CODE, ...(state && { state }), ...query } }
}

/** Finishes the sign-in with this call, and returns the identity. */
export async function finishCall(site: TestSite, call: AuthCall) {
  const provider = providerOf(site)
  const { pending } = resumeOAuth(call, provider, site.runtime)
  return finishOAuth(call, { provider, pending }, site.runtime)
}

/** Finishes the sign-in with this callback, and returns the identity. */
export const finish = async (site: TestSite, callback: BrowserRequest) => finishCall(site, await callOf(site, callback))

/** Performs a whole sign-in, with these parameters in the response. */
export const signIn = async (site: TestSite, query: Record<string, string> = {}, start: StartRequest = {}) =>
  finish(site, await callbackRequest(site, query, start))

/** Performs a whole sign-in at a provider that posts its response. */
export async function postedSignIn(site: TestSite, form: Record<string, string> = {}) {
  const { cookies = {}, query = {} } = await callbackRequest(site, form)
  const { location = "" } = redirectPostToGet(
    await callOf(site, { form: query, cookies }),
    providerOf(site),
    site.runtime,
  )
  return finish(site, { cookies, query: Object.fromEntries(new URL(location).searchParams) })
}

/** Returns the error with which the promise rejects, or undefined. */
export const failureOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => undefined,
    (error: unknown) => error,
  )
