import type { Runtime } from "../runtime/runtime.js"
import type { PublicProvider } from "../types.js"

/** The public description of the providers, with URLs below `base`. */
export function publicProviders(runtime: Runtime, base: string): PublicProvider[] {
  return [...runtime.providers.values()].map(({ provider: { id, name, type } }) => ({
    id,
    name,
    type,
    signinUrl: `${base}/signin/${id}`,
    callbackUrl: `${base}/callback/${id}`,
  }))
}
