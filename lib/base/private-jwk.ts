/** A private key on an elliptic curve, as a JWK (RFC 7518 §6.2). */
export interface PrivateJwk {
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly y: string
  readonly d: string
}
