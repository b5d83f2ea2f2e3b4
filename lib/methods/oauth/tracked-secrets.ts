import { createClientAuth } from "./client-auth.js"
import type { ReadyOAuth } from "./prepare.js"
import { clientSecretTexts } from "./secret-encodings.js"

/** A provider for one flow or request, with the client secrets that it has used. Errors and logs mask these secrets. */
export interface TrackedSecrets {
  readonly provider: ReadyOAuth
  /** Each call of a `clientSecret` function adds its result, because the function may return a different secret. */
  readonly secrets: readonly string[]
}

/**
 * Returns the client secrets to mask, and the provider. If `clientSecret` is a function, the returned provider has a
 * wrapper that records each secret that the function returns.
 */
export function trackSecrets(provider: ReadyOAuth): TrackedSecrets {
  const { clientSecret, clientId = "" } = provider.source
  if (typeof clientSecret !== "function") return { provider, secrets: clientSecretTexts(clientId, clientSecret ?? "") }
  const secrets: string[] = []
  const record = (secret: unknown) =>
    void (typeof secret === "string" && secrets.push(...clientSecretTexts(clientId, secret)))
  const recordingSecret: typeof clientSecret = (client) => {
    const secret = clientSecret(client)
    if (typeof secret === "string") record(secret)
    // Attached before the caller's handler, so the secret is recorded before the caller uses it.
    else Promise.resolve(secret).then(record, () => {})
    return secret
  }
  const source = { ...provider.source, clientSecret: recordingSecret }
  const providerArgument = { ...provider.providerArgument, clientSecret: recordingSecret }
  return { provider: { ...provider, source, providerArgument, clientAuth: createClientAuth(source) }, secrets }
}
