import type { Runtime } from "../runtime.js"
import type { PublicProvider } from "../types.js"

/** What everybody may know of the providers, with the addresses below `base`. */
export function publicProviders(runtime: Runtime, base: string): PublicProvider[] {
  return [...runtime.providers.values()].map(({ provider: { id, name, type } }) => ({
    id,
    name,
    type,
    signinUrl: `${base}/signin/${id}`,
    callbackUrl: `${base}/callback/${id}`,
  }))
}
