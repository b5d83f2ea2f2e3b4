import { clientAuthOf } from "./client-auth.js"
import type { ReadyOAuth } from "./prepare.js"
import { secretsOfClient } from "./secret-spellings.js"

/** A provider for one exchange, and the client secrets that are used in it, for masking what others repeat of them. */
export interface NotedSecret {
  readonly provider: ReadyOAuth
  /** Grows where a function gives them: each time it may be another one. */
  readonly secrets: readonly string[]
}

export function noteSecret(provider: ReadyOAuth): NotedSecret {
  const { clientSecret, clientId = "" } = provider.source
  if (typeof clientSecret !== "function") return { provider, secrets: secretsOfClient(clientId, clientSecret ?? "") }
  const secrets: string[] = []
  const note = (secret: unknown) =>
    void (typeof secret === "string" && secrets.push(...secretsOfClient(clientId, secret)))
  const noted: typeof clientSecret = (client) => {
    const secret = clientSecret(client)
    if (typeof secret === "string") note(secret)
    // Before whoever waits for it has it.
    else Promise.resolve(secret).then(note, () => {})
    return secret
  }
  const source = { ...provider.source, clientSecret: noted }
  const view = { ...provider.view, clientSecret: noted }
  return { provider: { ...provider, source, view, clientAuth: clientAuthOf(source) }, secrets }
}
