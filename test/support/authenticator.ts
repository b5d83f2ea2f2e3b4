/**
 * A software authenticator with its browser: creates passkeys and signs with them, correctly or incorrectly.
 *
 * @module
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server"
import { isoCBOR } from "@simplewebauthn/server/helpers"

/** How the browser and the authenticator behave. */
export interface Behaviour {
  /** The origin of the page. */
  readonly origin: string
  /** The RP ID for the authenticator. @default the one of the options, or the host of the origin */
  readonly rpId?: string
  /** The user verification flag. @default true */
  readonly isVerified?: boolean
  readonly crossOrigin?: boolean
  /** @default the last counter plus one */
  readonly counter?: number
  readonly challenge?: string
  /** The id of a new passkey. @default random */
  readonly id?: string
  /** The model of the authenticator. @default zeros, for an unknown model */
  readonly aaguid?: string
  /** The transports that the browser reports. @default ["internal", "hybrid"] */
  readonly transports?: unknown
  /** Creates the attestation of a new passkey. @default the format "none" */
  readonly attest?: (key: AttestedKey) => AttestationStatement
}

/** The data that an attestation signs. */
export interface AttestedKey {
  readonly id: Uint8Array
  readonly privateKey: KeyObject
  /** The coordinates of the public key. */
  readonly x: Uint8Array
  readonly y: Uint8Array
  readonly authData: Uint8Array
  readonly clientDataHash: Uint8Array
}

export interface AttestationStatement {
  readonly fmt: string
  readonly attStmt: Readonly<Record<string, unknown>>
}

export interface Passkey {
  readonly id: string
  readonly privateKey: KeyObject
  readonly userHandle: string
  counter: number
}

const modelOf = ({ aaguid }: Behaviour): Buffer =>
  aaguid === undefined ? Buffer.alloc(16) : Buffer.from(aaguid.replaceAll("-", ""), "hex")

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest()

const clientData = (type: string, challenge: string, { origin, crossOrigin = false }: Behaviour) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }))

const PRESENT = 0x01
const VERIFIED = 0x04
const BACKUP_ELIGIBLE = 0x08
const ATTESTED = 0x40

function authenticatorData(rpId: string, flags: number, counter: number, attested = Buffer.alloc(0)): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, attested])
}

function coordinates(publicKey: KeyObject): Pick<AttestedKey, "x" | "y"> {
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, "base64url"))
  return { x: bytes(x), y: bytes(y) }
}

/** The public key in COSE (RFC 9052 §7): EC2, ES256, P-256. */
function coseKey({ x, y }: Pick<AttestedKey, "x" | "y">): Uint8Array {
  return isoCBOR.encode(
    new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, x],
      [-3, y],
    ]),
  )
}

const UNATTESTED: AttestationStatement = { fmt: "none", attStmt: {} }

const encodeAttestation = ({ fmt, attStmt }: AttestationStatement, authData: Uint8Array): Uint8Array =>
  isoCBOR.encode(
    new Map<string, unknown>([
      ["fmt", fmt],
      ["attStmt", new Map(Object.entries(attStmt))],
      ["authData", authData],
    ]) as Parameters<typeof isoCBOR.encode>[0],
  )

const flagsFor = ({ isVerified = true }: Behaviour) => PRESENT | BACKUP_ELIGIBLE | (isVerified ? VERIFIED : 0)

/** Creates a passkey, like `navigator.credentials.create`. */
export function createPasskey(
  options: PublicKeyCredentialCreationOptionsJSON,
  behaviour: Behaviour,
): { passkey: Passkey; response: RegistrationResponseJSON } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const id = behaviour.id === undefined ? randomBytes(32) : Buffer.from(behaviour.id, "base64url")
  const counter = behaviour.counter ?? 0
  const length = Buffer.alloc(2)
  length.writeUInt16BE(id.length)
  const point = coordinates(publicKey)
  const attested = Buffer.concat([modelOf(behaviour), length, id, coseKey(point)])
  const rpId = behaviour.rpId ?? options.rp.id ?? new URL(behaviour.origin).hostname
  const authData = new Uint8Array(authenticatorData(rpId, flagsFor(behaviour) | ATTESTED, counter, attested))
  const text = id.toString("base64url")
  const client = clientData("webauthn.create", behaviour.challenge ?? options.challenge, behaviour)
  const key = { id, privateKey, ...point, authData, clientDataHash: sha256(client) }
  const attestation = encodeAttestation(behaviour.attest?.(key) ?? UNATTESTED, authData)
  return {
    passkey: { id: text, privateKey, userHandle: options.user.id, counter },
    response: {
      id: text,
      rawId: text,
      type: "public-key",
      clientExtensionResults: {},
      authenticatorAttachment: "platform",
      response: {
        clientDataJSON: client.toString("base64url"),
        attestationObject: Buffer.from(attestation).toString("base64url"),
        // The type is that of valid transports, but a test may send others.
        transports: (behaviour.transports ?? ["internal", "hybrid"]) as NonNullable<
          RegistrationResponseJSON["response"]["transports"]
        >,
      },
    },
  }
}

/** Signs with a passkey, like `navigator.credentials.get`. */
export function usePasskey(
  passkey: Passkey,
  options: PublicKeyCredentialRequestOptionsJSON,
  behaviour: Behaviour,
): AuthenticationResponseJSON {
  passkey.counter = behaviour.counter ?? passkey.counter + 1
  const rpId = behaviour.rpId ?? options.rpId ?? new URL(behaviour.origin).hostname
  const authData = authenticatorData(rpId, flagsFor(behaviour), passkey.counter)
  const client = clientData("webauthn.get", behaviour.challenge ?? options.challenge, behaviour)
  const signature = sign("sha256", Buffer.concat([authData, sha256(client)]), passkey.privateKey)
  return {
    id: passkey.id,
    rawId: passkey.id,
    type: "public-key",
    clientExtensionResults: {},
    response: {
      clientDataJSON: client.toString("base64url"),
      authenticatorData: authData.toString("base64url"),
      signature: signature.toString("base64url"),
      userHandle: passkey.userHandle,
    },
  }
}
