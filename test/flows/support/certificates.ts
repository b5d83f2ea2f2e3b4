/** Encodes X.509 certificates (RFC 5280): a root, and leaf certificates with any extensions. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  const size = body.length.toString(16)
  const digits = Buffer.from(size.length % 2 === 0 ? size : `0${size}`, "hex")
  const length = body.length < 0x80 ? digits : Buffer.concat([Buffer.from([0x80 | digits.length]), digits])
  return Buffer.concat([Buffer.from([tag]), length, body])
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts)
export const octets = (bytes: Uint8Array): Buffer => der(0x04, bytes)
export const integer = (value: number): Buffer => der(0x02, Buffer.from([value]))
const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text))

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number)
  const encode = (value: number): number[] => {
    const bytes = [value & 0x7f]
    for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift(0x80 | (left & 0x7f))
    return bytes
  }
  return der(0x06, Buffer.from([40 * first + second, ...rest].flatMap(encode)))
}

/** A distinguished name, from attributes by object identifier. */
export const nameWith = (attributes: Readonly<Record<string, string>>): Buffer =>
  sequence(...Object.entries(attributes).map(([id, text]) => der(0x31, sequence(objectId(id), utf8(text)))))

export const extension = (id: string, value: Uint8Array): Buffer => sequence(objectId(id), octets(value))

/** CRL distribution points (RFC 5280 §4.2.1.13): URLs that a validator downloads. */
export const crlDistributionPoint = (url: string): Buffer =>
  extension("2.5.29.31", sequence(sequence(der(0xa0, der(0xa0, der(0x86, Buffer.from(url)))))))

const ECDSA_SHA256 = sequence(objectId("1.2.840.10045.4.3.2"))
const VALIDITY = sequence(der(0x17, Buffer.from("240101000000Z")), der(0x17, Buffer.from("491231235959Z")))
const ROOT_NAME = nameWith({ "2.5.4.3": "Test Root" })

interface Certificate {
  readonly subject: Uint8Array
  readonly publicKey: KeyObject
  readonly extensions: readonly Uint8Array[]
}

function certify({ subject, publicKey, extensions }: Certificate, issuerKey: KeyObject): Uint8Array {
  const version = der(0xa0, integer(2))
  const serial = der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]))
  const key = publicKey.export({ type: "spki", format: "der" })
  const others = extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : []
  const tbs = sequence(version, serial, ECDSA_SHA256, ROOT_NAME, VALIDITY, subject, key, ...others)
  return new Uint8Array(sequence(tbs, ECDSA_SHA256, der(0x03, Buffer.from([0]), sign("sha256", tbs, issuerKey))))
}

/** Creates a certificate authority. */
export function createRoot(): { readonly certificate: Uint8Array; issue(leaf: Certificate): Uint8Array } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return {
    certificate: certify({ subject: ROOT_NAME, publicKey, extensions: [] }, privateKey),
    issue: (leaf) => certify(leaf, privateKey),
  }
}
