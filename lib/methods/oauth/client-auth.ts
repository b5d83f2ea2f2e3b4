import * as oauth from "oauth4webapi"
import type { MergedOAuth } from "./endpoint.js"

/** As a form writes it (RFC 6749 §2.3.1 with appendix B). */
export const formEncode = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

/** RFC 6749 §2.3.1: the id and the secret are form-encoded before they are joined. */
function secretBasic(secret: string): oauth.ClientAuth {
  return (_as, client, _body, headers) => {
    const pair = `${formEncode(client.client_id)}:${formEncode(secret)}`
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`)
  }
}

/** RFC 7523 §3: some servers look for themselves in the audience by their issuer, some by the endpoint's address. */
const privateKeyJwt =
  (key: oauth.CryptoKey | oauth.PrivateKey): oauth.ClientAuth =>
  (as, ...rest) =>
    oauth.PrivateKeyJwt(key, {
      [oauth.modifyAssertion]: (_header, payload) => {
        payload["aud"] = [as.issuer, as.token_endpoint ?? ""]
      },
    })(as, ...rest)

export const CLIENT_AUTH_METHODS = [
  "client_secret_basic",
  "client_secret_post",
  "client_secret_jwt",
  "private_key_jwt",
  "none",
] as const

/** The secret as it is now: one that changes, or is made of a key, is asked for each time. */
export async function readSecret({ clientSecret = "", clientId = "" }: MergedOAuth): Promise<string> {
  return typeof clientSecret === "string" ? clientSecret : clientSecret({ clientId })
}

/** Proves the client by its secret. */
const bySecret =
  (provider: MergedOAuth, create: (secret: string) => oauth.ClientAuth): oauth.ClientAuth =>
  async (...args) =>
    create(await readSecret(provider))(...args)

function createClientAuth(provider: MergedOAuth): oauth.ClientAuth {
  switch (provider.client?.token_endpoint_auth_method) {
    case "none":
      return oauth.None()
    case "client_secret_post":
      return bySecret(provider, (secret) => oauth.ClientSecretPost(secret))
    case "client_secret_jwt":
      return bySecret(provider, (secret) => oauth.ClientSecretJwt(secret))
    case "private_key_jwt":
      return privateKeyJwt(provider.token?.clientPrivateKey)
    default:
      return bySecret(provider, secretBasic)
  }
}

/**
 * How the provider is shown who asks. Made at the first use: a missing secret is reported by the check of the
 * configuration, with the line to write.
 */
export function clientAuthOf(provider: MergedOAuth): oauth.ClientAuth {
  let made: oauth.ClientAuth | undefined
  return (...args) => {
    made ??= createClientAuth(provider)
    return made(...args)
  }
}
