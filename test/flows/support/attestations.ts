/**
 * Attestation statements of all formats (WebAuthn §8), valid up to their root. The leaf certificates contain a URL from
 * which a validator downloads a revocation list.
 */
import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto"
import type { AttestationStatement, AttestedKey } from "../../support/authenticator.js"
import {
  type createRoot,
  crlDistributionPoint,
  der,
  extension,
  integer,
  nameWith,
  objectId,
  octets,
  sequence,
} from "./certificates.js"

type Root = ReturnType<typeof createRoot>

const ES256 = -7
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest()
const bytes = (buffer: Uint8Array) => new Uint8Array(buffer)
const signed = ({ authData, clientDataHash }: AttestedKey) => Buffer.concat([authData, clientDataHash])

/** Self attestation: signed with the new key, without a certificate. */
export const packedSelf = (key: AttestedKey): AttestationStatement => ({
  fmt: "packed",
  attStmt: { alg: ES256, sig: bytes(sign("sha256", signed(key), key.privateKey)) },
})

/** An attacker's certificate authority, and the revocation list URL of its leaf certificates. */
export interface Attestor {
  readonly root: Root
  readonly crlUrl: string
}

interface Leaf {
  readonly subject?: Readonly<Record<string, string>>
  readonly extensions?: readonly Uint8Array[]
}

function issueLeaf({ root, crlUrl }: Attestor, privateKey: KeyObject, { subject = {}, extensions = [] }: Leaf) {
  const publicKey = createPublicKey(privateKey)
  return root.issue({
    subject: nameWith(subject),
    publicKey,
    extensions: [crlDistributionPoint(crlUrl), ...extensions],
  })
}

const PACKED_SUBJECT = {
  "2.5.4.6": "DE",
  "2.5.4.10": "Test",
  "2.5.4.11": "Authenticator Attestation",
  "2.5.4.3": "Key",
}

function packedWithCertificate(key: AttestedKey, attestor: Attestor): AttestationStatement {
  const x5c = [issueLeaf(attestor, key.privateKey, { subject: PACKED_SUBJECT })]
  return { fmt: "packed", attStmt: { ...packedSelf(key).attStmt, x5c } }
}

/** The statement contains the root, so a validator can fetch URLs although the application does not trust the root. */
function androidKey(key: AttestedKey, attestor: Attestor): AttestationStatement {
  const level = der(0x0a, Buffer.from([1]))
  const empty = octets(Buffer.alloc(0))
  const description = sequence(
    ...[integer(3), level, integer(4), level],
    ...[octets(key.clientDataHash), empty, sequence(), sequence()],
  )
  const leaf = issueLeaf(attestor, key.privateKey, {
    subject: { "2.5.4.3": "Android Keystore Key" },
    extensions: [extension("1.3.6.1.4.1.11129.2.1.17", description)],
  })
  return { fmt: "android-key", attStmt: { ...packedSelf(key).attStmt, x5c: [leaf, attestor.root.certificate] } }
}

function androidSafetyNet(key: AttestedKey, attestor: Attestor): AttestationStatement {
  const leaf = issueLeaf(attestor, key.privateKey, { subject: { "2.5.4.3": "attest.android.com" } })
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const header = encode({ alg: "ES256", x5c: [Buffer.from(leaf).toString("base64")] })
  const nonce = sha256(signed(key)).toString("base64")
  const payload = encode({ nonce, ctsProfileMatch: true, timestampMs: Date.now() - 1_000 })
  const signature = sign("sha256", Buffer.from(`${header}.${payload}`), key.privateKey).toString("base64url")
  const response = bytes(Buffer.from(`${header}.${payload}.${signature}`))
  return { fmt: "android-safetynet", attStmt: { ver: "1", response } }
}

function fidoU2f(key: AttestedKey, attestor: Attestor): AttestationStatement {
  const point = Buffer.concat([Buffer.from([4]), key.x, key.y])
  const rpIdHash = key.authData.subarray(0, 32)
  const message = Buffer.concat([Buffer.from([0]), rpIdHash, key.clientDataHash, key.id, point])
  const sig = bytes(sign("sha256", message, key.privateKey))
  return { fmt: "fido-u2f", attStmt: { sig, x5c: [issueLeaf(attestor, key.privateKey, {})] } }
}

function apple(key: AttestedKey, attestor: Attestor): AttestationStatement {
  const nonce = extension("1.2.840.113635.100.8.2", sequence(der(0xa1, octets(sha256(signed(key))))))
  return { fmt: "apple", attStmt: { x5c: [issueLeaf(attestor, key.privateKey, { extensions: [nonce] })] } }
}

const SHA256 = [0x00, 0x0b]
const NO_ALGORITHM = [0x00, 0x10]
const sized = (content: Uint8Array) => Buffer.concat([Buffer.from([content.length >> 8, content.length]), content])

/** TPMT_PUBLIC and TPMS_ATTEST (TPM 2.0, part 2). */
function tpm(key: AttestedKey, attestor: Attestor): AttestationStatement {
  const parameters = Buffer.from([...NO_ALGORITHM, ...NO_ALGORITHM, 0x00, 0x03, ...NO_ALGORITHM])
  const header = Buffer.from([0x00, 0x23, ...SHA256, 0, 0, 0, 0, 0, 0])
  const pubArea = bytes(Buffer.concat([header, parameters, sized(key.x), sized(key.y)]))
  const certInfo = bytes(
    Buffer.concat([
      Buffer.from([0xff, 0x54, 0x43, 0x47, 0x80, 0x17, 0, 0]),
      sized(sha256(signed(key))),
      Buffer.alloc(17 + 8),
      sized(Buffer.concat([Buffer.from(SHA256), sha256(pubArea)])),
      sized(Buffer.alloc(0)),
    ]),
  )
  const device = nameWith({ "2.23.133.2.1": "id:414D4400", "2.23.133.2.2": "Test", "2.23.133.2.3": "id:01" })
  const extensions = [
    extension("2.5.29.17", sequence(der(0xa4, device))),
    extension("2.5.29.37", sequence(objectId("2.23.133.8.3"))),
  ]
  const x5c = [issueLeaf(attestor, key.privateKey, { extensions })]
  const sig = bytes(sign("sha256", certInfo, key.privateKey))
  return { fmt: "tpm", attStmt: { ver: "2.0", alg: ES256, sig, x5c, pubArea, certInfo } }
}

/** All formats with certificates. */
export const CERTIFIED: readonly (readonly [
  name: string,
  attest: (key: AttestedKey, attestor: Attestor) => AttestationStatement,
])[] = [
  ["android-key", androidKey],
  ["android-safetynet", androidSafetyNet],
  ["apple", apple],
  ["fido-u2f", fidoU2f],
  ["packed, with a certificate", packedWithCertificate],
  ["tpm", tpm],
]
