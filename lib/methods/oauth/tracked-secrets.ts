import { resolveClientAuth } from "./client-auth.js"
import type { ReadyOAuth } from "./prepare.js"
import { clientSecrets } from "./secret-encodings.js"

/** A provider for one code exchange, with the client secrets that were used. Errors and logs mask these secrets. */
export interface TrackedSecrets {
  readonly provider: ReadyOAuth
  /** Grows with each call of a `clientSecret` function, which may return a different secret each time. */
  readonly secrets: readonly string[]
}

/** Wraps a `clientSecret` function to record the secrets that it returns. */
export function trackSecrets(provider: ReadyOAuth): TrackedSecrets {
  const { clientSecret, clientId = "" } = provider.source
  if (typeof clientSecret !== "function") return { provider, secrets: clientSecrets(clientId, clientSecret ?? "") }
  const secrets: string[] = []
  const record = (secret: unknown) =>
    void (typeof secret === "string" && secrets.push(...clientSecrets(clientId, secret)))
  const recordingSecret: typeof clientSecret = (client) => {
    const secret = clientSecret(client)
    if (typeof secret === "string") record(secret)
    // This handler is attached first, so it runs before the caller receives the secret.
    else Promise.resolve(secret).then(record, () => {})
    return secret
  }
  const source = { ...provider.source, clientSecret: recordingSecret }
  const providerArgument = { ...provider.providerArgument, clientSecret: recordingSecret }
  return { provider: { ...provider, source, providerArgument, clientAuth: resolveClientAuth(source) }, secrets }
}
