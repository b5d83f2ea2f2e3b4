/** The client controls the attestation of a new passkey: no URL in it is fetched, and none of it is trusted. */
import { createServer } from "node:http"
import { SettingsService } from "@simplewebauthn/server"
import { describeServers } from "../../support/apps.js"
import type { Behaviour } from "../../support/authenticator.js"
import { createPasskey } from "../../support/authenticator.js"
import { listen } from "../../support/listen.js"
import { type Attestor, CERTIFIED, packedSelf } from "../support/attestations.js"
import { createRoot } from "../support/certificates.js"
import { guardProcess } from "../support/guard.js"
import { errorOf } from "../support/mail.js"
import { finish, loggedLevels, optionsFor, register, startPasskeySite } from "../support/passkeys.js"
import { sessionOf } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"
const FAILED = "WebAuthnVerificationError"
const FORMATS = ["android-key", "android-safetynet", "apple", "fido-u2f", "packed", "tpm"] as const

/** Creates a root certificate, and records the requests to the CRL URL that every certificate names. */
async function startAttestor() {
  const fetched: string[] = []
  const server = await listen(
    createServer(({ url = "" }, response) => {
      fetched.push(url)
      response.end()
    }),
  )
  const root = createRoot()
  return { root, crlUrl: `${server.origin}/list.crl`, fetched, close: () => server.close() }
}

/** Trusts the root for every format, as an application can. The library then validates the chain. */
function trust({ root }: Attestor): () => void {
  const before = FORMATS.map((identifier) => [identifier, SettingsService.getRootCertificates({ identifier })] as const)
  for (const identifier of FORMATS)
    SettingsService.setRootCertificates({ identifier, certificates: [new Uint8Array(root.certificate)] })
  return () => {
    for (const [identifier, certificates] of before) SettingsService.setRootCertificates({ identifier, certificates })
  }
}

describeServers("attestation of a new passkey", (start) => {
  /** Registers with an attestation and expects that nothing is fetched. */
  async function attempt(behaviour: Partial<Behaviour>, attesting: Awaited<ReturnType<typeof startAttestor>>) {
    const { app, adapter, records } = await startPasskeySite(start)
    const browser = app.browser()
    const fetching = jest.spyOn(globalThis, "fetch")
    const { page } = await register(browser, app.origin, { email: ADA, behaviour })
    expect([attesting.fetched, fetching.mock.calls]).toEqual([[], []])
    await attesting.close()
    return { browser, page, adapter, records }
  }

  it.each(CERTIFIED)("SEC-01: is rejected in the format %s, and no URL in it is fetched", async (_name, attest) => {
    const attesting = await startAttestor()
    const { browser, page, adapter, records } = await attempt({ attest: (key) => attest(key, attesting) }, attesting)
    expect(errorOf(page)).toBe(FAILED)
    expect(loggedLevels(records)).toEqual([["warn", FAILED]])
    expect([await sessionOf(browser), await adapter.getUserByEmail?.(ADA)]).toEqual([null, null])
  })

  it.each(CERTIFIED)(
    "SEC-01: is rejected in the format %s without a fetch, even if its root is trusted",
    async (_name, attest) => {
      const attesting = await startAttestor()
      const restore = trust(attesting)
      try {
        const { page } = await attempt({ attest: (key) => attest(key, attesting) }, attesting)
        expect(errorOf(page)).toBe(FAILED)
      } finally {
        restore()
      }
    },
  )

  it.each([
    ["none", {}],
    ["packed, signed with the new key itself", { attest: packedSelf }],
  ])("SEC-01: is accepted in the format %s", async (_name, behaviour) => {
    const { browser, page } = await attempt(behaviour, await startAttestor())
    expect(page.location).toContain("/me")
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it.each([
    ["an unknown format", { fmt: "compound", attStmt: {} }],
    ["a format that is a property of Object.prototype", { fmt: "constructor", attStmt: {} }],
    ["a statement in the format none", { fmt: "none", attStmt: { x5c: [] } }],
    ["an empty list of certificates", { fmt: "packed", attStmt: { alg: -7, sig: new Uint8Array(64), x5c: [] } }],
    ["a signature of another key", { fmt: "packed", attStmt: { alg: -7, sig: new Uint8Array(64) } }],
  ])("SEC-01: is rejected with %s", async (_name, statement) => {
    const { page } = await attempt({ attest: () => statement }, await startAttestor())
    expect(errorOf(page)).toBe(FAILED)
  })

  it("SEC-01: is rejected above 32 kB", async () => {
    const { app } = await startPasskeySite(start)
    const browser = app.browser()
    const { options } = await optionsFor(browser, { action: "register", email: ADA })
    const { response } = createPasskey(options, { origin: app.origin })
    const padded = { ...response, padding: "x".repeat(33_000) }
    expect((await finish(browser, "register", padded)).status).toBe(400)
  })
})
