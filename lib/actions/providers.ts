import { json } from "../http/reply.js"
import type { Action, ActionRuntime } from "./action.js"

/** A provider without its secrets, as in `/providers` and in views. */
export interface PublicProvider {
  /** The provider's id, for example "github"; part of its URLs. */
  id: string
  /** The display name. */
  name: string
  /** "oauth", "oidc", "email", "credentials" or "webauthn". */
  type: string
  /** The URL that starts a sign-in, by POST. */
  signinUrl: string
  /** The provider's redirect URI; credentials are posted to it. */
  callbackUrl: string
}

/** Returns the public data of the providers. Their URLs begin with `base`. */
export function publicProviders(runtime: ActionRuntime, base: string): PublicProvider[] {
  return [...runtime.providers.values()].map(({ provider: { id, name, type } }) => ({
    id,
    name,
    type,
    signinUrl: `${base}/signin/${id}`,
    callbackUrl: `${base}/callback/${id}`,
  }))
}

/** GET returns the providers by id, for an application's own sign-in page. */
export const providers: Action = () => ({
  GET: {
    guards: { needsCsrf: false, issuesCsrfToken: false, hasCallbackUrl: false },
    handle: async (call, runtime) =>
      json(Object.fromEntries(publicProviders(runtime, call.base).map((provider) => [provider.id, provider]))),
  },
})
