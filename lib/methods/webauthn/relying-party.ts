import type { AuthCall } from "../../http/call.js"
import type { Runtime } from "../../runtime.js"
import type { ReadyWebAuthn } from "./prepare.js"

/** The site as authenticators know it (WebAuthn §4, "Relying Party"). */
export interface RelyingParty {
  readonly id: string
  readonly name: string
  readonly origin: string
}

/** What functions of a provider get, under the names that Auth.js gives them. */
export function providerContext(call: AuthCall, provider: ReadyWebAuthn, { adapter, logger }: Runtime) {
  // The canonical origin: a host that nobody trusts must not decide whose passkeys these are.
  const url = new URL(call.url.pathname + call.url.search, call.origin)
  const { method, query, body, cookies } = call
  const headers: Record<string, string> = {}
  call.headers.forEach((value, name) => {
    headers[name] = value
  })
  const request = { url, method, query, body, cookies, headers }
  return { options: { provider: provider.source, url, adapter, logger }, request }
}

export function relyingPartyOf(call: AuthCall, provider: ReadyWebAuthn, runtime: Runtime): RelyingParty {
  const { options, request } = providerContext(call, provider, runtime)
  return provider.source.getRelayingParty(options, request)
}
