import type { AuthCall } from "../../http/call.js"
import type { MethodRuntime } from "../method.js"
import type { ReadyWebAuthn } from "./prepare.js"

/** The relying party (WebAuthn §4). */
export interface RelyingParty {
  readonly id: string
  readonly name: string
  readonly origin: string
}

/** Returns the arguments with which a provider's functions are called, named as in Auth.js. */
export function providerContext(call: AuthCall, provider: ReadyWebAuthn, { adapter, logger }: MethodRuntime) {
  // Uses the site's origin, because an untrusted host must not select the relying party.
  const url = new URL(call.url.pathname + call.url.search, call.origin)
  const { method, query, body, cookies } = call
  const headers: Record<string, string> = {}
  call.headers.forEach((value, name) => {
    headers[name] = value
  })
  const request = { url, method, query, body, cookies, headers }
  return { options: { provider: provider.source, url, adapter, logger }, request }
}

export function resolveRelyingParty(call: AuthCall, provider: ReadyWebAuthn, runtime: MethodRuntime): RelyingParty {
  const { options, request } = providerContext(call, provider, runtime)
  return provider.source.getRelayingParty(options, request)
}
