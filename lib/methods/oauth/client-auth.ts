import * as oauth from "oauth4webapi"
import { type MergedOAuth, pushesRequests } from "./endpoint.js"

/** Encodes a value as `application/x-www-form-urlencoded` (RFC 6749 §2.3.1 and appendix B). */
export const formEncode = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

/**
 * Returns a client authentication that adds the id and the secret to a request in the `Authorization` header. Both are
 * form-encoded first (RFC 6749 §2.3.1).
 */
function clientSecretBasic(secret: string): oauth.ClientAuth {
  return (_as, client, _body, headers) => {
    const pair = `${formEncode(client.client_id)}:${formEncode(secret)}`
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`)
  }
}

/**
 * Returns a client authentication that adds a signed JWT to a request (RFC 7523 §2.2). Some servers expect their issuer
 * in `aud`, and others the URL of their token endpoint, so `aud` contains both (§3). If requests are pushed, `aud` is
 * only the issuer. A server that supports pushed requests must accept its issuer (RFC 9126 §2), and FAPI 2.0 §5.3.3.1
 * allows no other value.
 */
const privateKeyJwt =
  (provider: MergedOAuth): oauth.ClientAuth =>
  (as, ...rest) =>
    oauth.PrivateKeyJwt(provider.token?.clientPrivateKey, {
      [oauth.modifyAssertion]: (_header, payload) => {
        payload["aud"] = pushesRequests(as, provider) ? as.issuer : [as.issuer, as.token_endpoint ?? ""]
      },
    })(as, ...rest)

/** The methods with a client certificate (RFC 8705 §2). The application's own `fetch` presents the certificate. */
const CERTIFICATE_METHODS: readonly unknown[] = ["tls_client_auth", "self_signed_tls_client_auth"]

export const isCertificateMethod = (method: unknown): boolean => CERTIFICATE_METHODS.includes(method)

/** The supported values of `token_endpoint_auth_method` (RFC 7591 §2). */
export const CLIENT_AUTH_METHODS: readonly unknown[] = [
  "client_secret_basic",
  "client_secret_post",
  "client_secret_jwt",
  "private_key_jwt",
  "none",
  ...CERTIFICATE_METHODS,
]

/** Returns the method with which the client authenticates (RFC 7591 §2). */
export const readAuthMethod = ({ client }: Pick<MergedOAuth, "client">): string =>
  client?.token_endpoint_auth_method ?? "client_secret_basic"

/** True if the client authenticates with a certificate. */
export const usesCertificate = (provider: Pick<MergedOAuth, "client">): boolean =>
  isCertificateMethod(readAuthMethod(provider))

/** Returns the client secret. Calls `clientSecret` if it is a function, which may return a new secret each time. */
export async function readSecret({ clientSecret = "", clientId = "" }: MergedOAuth): Promise<string> {
  return typeof clientSecret === "string" ? clientSecret : clientSecret({ clientId })
}

/** Returns a client authentication that reads the current secret for each request. */
const withSecret =
  (provider: MergedOAuth, create: (secret: string) => oauth.ClientAuth): oauth.ClientAuth =>
  async (...args) =>
    create(await readSecret(provider))(...args)

/** Returns the client authentication for a provider. */
export function createClientAuth(provider: MergedOAuth): oauth.ClientAuth {
  if (usesCertificate(provider)) return oauth.TlsClientAuth()
  switch (readAuthMethod(provider)) {
    case "none":
      return oauth.None()
    case "client_secret_post":
      return withSecret(provider, (secret) => oauth.ClientSecretPost(secret))
    case "client_secret_jwt":
      return withSecret(provider, (secret) => oauth.ClientSecretJwt(secret))
    case "private_key_jwt":
      return privateKeyJwt(provider)
    default:
      return withSecret(provider, clientSecretBasic)
  }
}
