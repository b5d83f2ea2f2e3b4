import type { IncomingHttpHeaders } from "node:http"
import { type CryptoKey, decodeJwt, decodeProtectedHeader, type JWK, jwtVerify } from "jose"
import type { Claims } from "./mode.js"

/** The authentication of a client at the token endpoint. */
export interface ClientAuth {
  method: "client_secret_basic" | "client_secret_post" | "client_secret_jwt" | "private_key_jwt" | "none"
  clientId: string
  clientSecret?: string
  /** The decoded `Authorization: Basic`, whose two halves are still form-encoded. */
  basic?: string
  assertion?: { jwt: string; header: Claims; claims: Claims }
}

export interface RegisteredClient {
  clientId: string
  clientSecret: string
  /** Verifies `private_key_jwt`; without it any such assertion passes. */
  clientPublicKey?: CryptoKey | JWK
  /** A public client, which is identified by its id. */
  isPublic?: boolean
}

const formDecode = (text: string) => decodeURIComponent(text.replaceAll("+", " "))

/** Reads the credentials of a token request (RFC 6749 §2.3.1, RFC 7523). */
export function readClientAuth(headers: IncomingHttpHeaders, form: Record<string, string>): ClientAuth {
  const [, encoded] = /^Basic (.+)$/i.exec(headers.authorization ?? "") ?? []
  if (encoded !== undefined) return readBasic(Buffer.from(encoded, "base64").toString())
  const jwt = form["client_assertion"]
  if (jwt !== undefined) return readAssertion(jwt)
  const clientId = form["client_id"] ?? ""
  const clientSecret = form["client_secret"]
  return clientSecret === undefined
    ? { method: "none", clientId }
    : { method: "client_secret_post", clientId, clientSecret }
}

function readBasic(basic: string): ClientAuth {
  const [id = "", secret = ""] = basic.split(":")
  return { method: "client_secret_basic", clientId: formDecode(id), clientSecret: formDecode(secret), basic }
}

function readAssertion(jwt: string): ClientAuth {
  const header: Claims = { ...decodeProtectedHeader(jwt) }
  const claims: Claims = decodeJwt(jwt)
  const method = String(header["alg"]).startsWith("HS") ? "client_secret_jwt" : "private_key_jwt"
  return { method, clientId: String(claims["sub"]), assertion: { jwt, header, claims } }
}

/** True if this is the registered client with its credentials. */
export async function isClient(auth: ClientAuth, client: RegisteredClient, audience: string[]): Promise<boolean> {
  if (auth.clientId !== client.clientId) return false
  if (auth.method === "none") return client.isPublic ?? false
  if (!auth.assertion) return auth.clientSecret === client.clientSecret
  const key =
    auth.method === "client_secret_jwt" ? new TextEncoder().encode(client.clientSecret) : client.clientPublicKey
  if (!key) return true
  const expected = { audience, issuer: client.clientId, subject: client.clientId, requiredClaims: ["jti", "exp"] }
  return jwtVerify(auth.assertion.jwt, key, expected).then(
    () => true,
    () => false,
  )
}
