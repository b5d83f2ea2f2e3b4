import { createHash } from "node:crypto"
import type { DevProvider } from "../../../lib/testing.js"
import { Browser } from "../../support/browser.js"
import { overNetwork } from "../../support/network.js"

export const CLIENT = { clientId: "the app", clientSecret: "p:a+s%s" }
/** Those of the client, as RFC 6749 §2.3.1 wants them. */
export const BASIC = `Basic ${Buffer.from("the+app:p%3Aa%2Bs%25s").toString("base64")}`
export const CALLBACK = "http://localhost:3000/auth/callback/dev"
export const VERIFIER = "a-verifier-of-at-least-forty-three-characters-it-is"
export const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url")

/** What is left out is `undefined`. */
export type Params = Record<string, string | undefined>
type Headers = Record<string, string>

export const formOf = (params: Params) =>
  new URLSearchParams(Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** The query of a request that holds, but for what is said otherwise. */
export const requestOf = (over: Params = {}): string =>
  formOf({
    ...{ response_type: "code", client_id: "the app", redirect_uri: CALLBACK, scope: "openid profile email" },
    ...{ state: "a-state", nonce: "a-nonce", code_challenge: CHALLENGE, code_challenge_method: "S256", ...over },
  }).toString()

export const get = (url: string, headers: Headers = {}) => overNetwork(new Request(url, { headers }))

/** What an application asks of a development provider, step by step. */
export function relyingParty(dev: DevProvider) {
  const authorizationUrl = (over?: Params): string => `${dev.issuer}/authorize?${requestOf(over)}`

  /** Where an authorization request leads at once. */
  async function answerTo(over?: Params, browser = new Browser()): Promise<URLSearchParams> {
    const { location, status } = await browser.get(authorizationUrl(over))
    if (!location) throw new Error(`answered with a page, ${status}`)
    return new URL(location).searchParams
  }

  async function codeFor(over?: Params): Promise<string> {
    dev.next()
    return (await answerTo(over)).get("code") ?? ""
  }

  async function post(params: Params | string, headers: Headers = { authorization: BASIC }) {
    const url = `${dev.issuer}/token`
    const body = typeof params === "string" ? params : formOf(params)
    const response = await overNetwork(new Request(url, { method: "POST", body, headers }))
    const told: Record<string, unknown> = Object(await response.json())
    return { status: response.status, headers: response.headers, body: told }
  }

  const redeem = (code: string, over: Params = {}, headers?: Headers) =>
    post({ grant_type: "authorization_code", code, redirect_uri: CALLBACK, code_verifier: VERIFIER, ...over }, headers)

  const refresh = (token: unknown) => post({ grant_type: "refresh_token", refresh_token: String(token) })

  const userinfo = (token: unknown) => get(`${dev.issuer}/userinfo`, { authorization: `Bearer ${String(token)}` })

  return { authorizationUrl, answerTo, codeFor, post, redeem, refresh, userinfo }
}
