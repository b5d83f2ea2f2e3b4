import * as oauth from "oauth4webapi"
import { isPlainObject } from "../../merge.js"
import type { Profile } from "../../types.js"
import { type Exchange, type ExchangedTokens, requestOptions } from "./token-request.js"

/** What the provider says of the user: the id_token's claims, or what its userinfo endpoint answers. */
export async function readProfile(exchange: Exchange, exchanged: ExchangedTokens): Promise<Profile> {
  const { provider } = exchange
  const { claims } = exchanged
  if (claims && !provider.prefersUserinfo) return claims
  const profile = provider.userinfo.request
    ? await requestByProvider(exchange, exchanged)
    : claims
      ? await requestOpenId(exchange, exchanged, String(claims["sub"]))
      : await requestPlain(exchange, exchanged)
  // Core §5.3.2: otherwise it may be somebody else's.
  if (claims && profile.sub !== claims["sub"]) throw new Error("userinfo is of another subject than the id_token")
  return profile
}

async function requestByProvider({ provider, fetch }: Exchange, { tokens }: ExchangedTokens): Promise<Profile> {
  const answer: unknown = await provider.userinfo.request?.({ tokens, provider: provider.view, fetch })
  return isPlainObject(answer) ? answer : {}
}

/** OpenID Connect Core §5.3. */
async function requestOpenId(exchange: Exchange, { tokens }: ExchangedTokens, subject: string): Promise<Profile> {
  const { as, provider } = exchange
  const options = requestOptions(exchange, as.userinfo_endpoint)
  const response = await oauth.userInfoRequest(as, provider.client, tokens.access_token, options)
  if (response.status !== 200) throw new Error(`${as.userinfo_endpoint} answered with status ${response.status}`)
  return { ...(await oauth.processUserInfoResponse(as, provider.client, subject, response)) }
}

/** RFC 6750 §2.1: the token goes into a header, never into an address. */
async function requestPlain(exchange: Exchange, { tokens }: ExchangedTokens): Promise<Profile> {
  const url = exchange.as.userinfo_endpoint
  if (!url) throw new Error("the provider has no userinfo endpoint")
  requestOptions(exchange, url)
  const response = await exchange.fetch(url, {
    headers: { accept: "application/json", authorization: `Bearer ${tokens.access_token}`, "user-agent": "latchkey" },
  })
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}`)
  const answer: unknown = await response.json().catch(() => undefined)
  if (!isPlainObject(answer)) throw new Error(`${url} did not answer with a JSON object`)
  return answer
}
