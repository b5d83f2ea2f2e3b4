/**
 * The attestation of a new passkey (WebAuthn §6.5), checked before the library verifies it. An attestation with
 * certificates names addresses of revocation lists, and the library downloads them: the client would choose which
 * addresses this server requests.
 *
 * @module
 */
import type { AttestationStatement } from "@simplewebauthn/server/helpers"
import { loadHelpers } from "./library.js"

/** The formats without certificates, each with what its statement must be (WebAuthn §8.2, §8.7). */
const UNCERTIFIED: ReadonlyMap<unknown, (statement: AttestationStatement) => boolean> = new Map([
  ["none", ({ size }: AttestationStatement) => size === 0],
  // Self attestation: the statement contains only the algorithm and the signature, no certificates.
  ["packed", (s: AttestationStatement) => s.size === 2 && s.get("alg") !== undefined && s.get("sig") !== undefined],
])

/**
 * Requires an attestation without certificates: none at all, or a signature of the new key itself.
 *
 * @throws Error for every other format, and for invalid attestation objects
 */
export function requireUncertified(attestationObject: string): void {
  const { decodeAttestationObject, isoBase64URL } = loadHelpers()
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  const format: unknown = attestation.get("fmt")
  if (UNCERTIFIED.get(format)?.(attestation.get("attStmt"))) return
  throw new Error(`an attestation of the format ${String(format).slice(0, 20)}, or its certificates, is not accepted`)
}
