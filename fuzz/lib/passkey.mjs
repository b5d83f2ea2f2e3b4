/**
 * A software passkey, and a site where it is registered.
 *
 * @module
 */
import { createHash, generateKeyPairSync, sign } from "node:crypto"
import { MemoryAdapter } from "../../dist/adapters/memory.js"
import Passkey from "../../dist/providers/passkey.js"
import { ORIGIN } from "./oracle.mjs"
import { openSite } from "./site.mjs"

const sha256 = (bytes) => createHash("sha256").update(bytes).digest()

/** The hash of the site's domain, which authenticators sign. */
export const RP_ID_HASH = sha256("app.test")

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
const ID = Buffer.alloc(32, 7)

/** EC2, ES256, P-256 (RFC 9052 §7), byte by byte. */
function coseKey() {
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  const [head, between] = [Buffer.from("a50102032620012158 20".replace(" ", ""), "hex"), Buffer.from("225820", "hex")]
  return Buffer.concat([head, Buffer.from(x, "base64url"), between, Buffer.from(y, "base64url")])
}

/** An attestation object of the format "none" around authenticator data of at most 255 bytes. */
const attestation = (authData) =>
  Buffer.concat([
    Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex"),
    Buffer.from([authData.length]),
    authData,
  ])

export const honestAttestation = () =>
  attestation(
    // Present, verified, with an attested credential; a counter of 0, no model, an id of 32 bytes.
    Buffer.concat([RP_ID_HASH, Buffer.from([0x45, 0, 0, 0, 0]), Buffer.alloc(16), Buffer.from([0, 32]), ID, coseKey()]),
  )

const base64url = (bytes) => Buffer.from(bytes).toString("base64url")

export const clientData = (type, challenge) =>
  Buffer.from(JSON.stringify({ type: `webauthn.${type}`, challenge, origin: ORIGIN, crossOrigin: false }))

const credential = (response) => ({
  ...{ id: base64url(ID), rawId: base64url(ID), type: "public-key", clientExtensionResults: {} },
  response,
})

/** The request of a browser for a new passkey. */
export const registration = (challenge, attestationObject) =>
  credential({
    clientDataJSON: base64url(clientData("create", challenge)),
    attestationObject: base64url(attestationObject),
    transports: ["internal"],
  })

/** The request of a browser with a valid signature over any content. */
export function assertion(challenge, authenticatorData) {
  const client = clientData("get", challenge)
  return credential({
    clientDataJSON: base64url(client),
    authenticatorData: base64url(authenticatorData),
    signature: base64url(sign("sha256", Buffer.concat([authenticatorData, sha256(client)]), privateKey)),
  })
}

/** A site with passkeys, and its adapter. */
export async function openPasskeySite() {
  const adapter = MemoryAdapter()
  const site = await openSite({
    providers: [Passkey],
    adapter,
    session: { strategy: "jwt" },
    experimental: { enableWebAuthn: true },
  })
  return { site, adapter }
}

/** Starts a ceremony, and posts the text that `answer` returns for its challenge. */
export async function performCeremony(site, { action, email = "" }, answer) {
  const { options, cookie } = await site.ceremony({ action, ...(email && { email }) })
  const body = { action, data: answer(options.challenge) }
  return site.post("/auth/callback/passkey", body, { cookie })
}
