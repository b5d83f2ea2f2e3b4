/**
 * Runs the recipes of docs/oauth.md for client certificates, signed requests and encrypted id_tokens, at providers that
 * require them.
 */

import { createPublicKey, generateKeyPairSync } from "node:crypto"
import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { type RequestOptions, request as requestByTls } from "node:https"
import { Readable } from "node:stream"
import type { TLSSocket } from "node:tls"
import * as jose from "jose"
import { customFetch, getAuthorizedFetch } from "../../../lib/index.js"
import type { OIDCConfig } from "../../../lib/provider-kit/provider.js"
import OIDC from "../../../lib/providers/oidc.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import { blocksBelow } from "../../docs/support/sample-module.js"
import { describeServers, recordingLogger, type Start, TEST_SECRET } from "../../support/apps.js"
import { Browser } from "../../support/browser.js"
import { toResponse } from "../../support/network.js"
import { type RealProvider, signInAtProvider, startRealProvider } from "../../support/real-provider.js"
import { guardProcess } from "../support/guard.js"
import { SELF_SIGNED } from "../support/self-signed.js"
import { begin, sessionOf } from "../support/site.js"

guardProcess()

const signing = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })
const decryption = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" })
const publicPart = ({ kty, crv, x, y, n, e }: jose.JWK) => ({ kty, crv, x, y, n, e })

/** The provider of the sample below a heading, at this issuer. */
function documented(heading: string, issuer: string): OIDCConfig {
  const code = blocksBelow("docs/oauth.md", heading)[0]?.code ?? ""
  const program = code.replace(/^import .*$/gm, "").replaceAll("https://id.example.com", issuer)
  const env = {
    ...{ EXAMPLE_SIGNING_KEY: JSON.stringify(signing), EXAMPLE_DECRYPTION_KEY: JSON.stringify(decryption) },
    ...{ EXAMPLE_CERTIFICATE: SELF_SIGNED.cert, EXAMPLE_CERTIFICATE_KEY: SELF_SIGNED.key },
  }
  const scope = { ...jose, OIDC, customFetch, request: requestTrusted, once, Readable, process: { env } }
  return new Function(...Object.keys(scope), `${program}; return provider`)(...Object.values(scope))
}

/** `request` of node:https, which also trusts the certificate of the tests. */
const requestTrusted = (url: string, options: RequestOptions) => requestByTls(url, { ...options, ca: SELF_SIGNED.cert })

/** Sends a browser's request over TLS, without a client certificate. */
async function byTls(request: Request): Promise<Response> {
  const body = await request.text()
  const headers = Object.fromEntries(request.headers)
  const options = { method: request.method, headers, ca: SELF_SIGNED.cert, agent: false as const }
  const [response] = await once(requestByTls(request.url, options).end(body), "response")
  return toResponse(response)
}

let signedOnly: RealProvider
let encrypting: RealProvider
let mutualTls: RealProvider
beforeAll(async () => {
  const requestObjects = { enabled: true, requireSignedRequestObject: true }
  signedOnly = await startRealProvider({ features: { requestObjects, pushedAuthorizationRequests: { enabled: true } } })
  encrypting = await startRealProvider({ features: { encryption: { enabled: true } } })
  mutualTls = await startMutualTls()
})
afterAll(() => Promise.all([signedOnly.close(), encrypting.close(), mutualTls.close()]))

/** The address of the endpoints that accept certificates. */
const toAlias = (address: string) => address.replace("127.0.0.1", "localhost")

/** Starts a provider that accepts certificates only at the aliases of its endpoints. */
function startMutualTls(): Promise<RealProvider> {
  const socketOf = ({ req }: { req: IncomingMessage }) => req.socket as TLSSocket
  const readCertificate = ({ req }: { req: IncomingMessage }) =>
    req.headers.host?.startsWith("localhost:") ? socketOf({ req }).getPeerX509Certificate() : undefined
  return startRealProvider({
    tls: { ...SELF_SIGNED, ca: SELF_SIGNED.cert, requestCert: true, rejectUnauthorized: false },
    features: {
      mTLS: {
        ...{ enabled: true, certificateBoundAccessTokens: true, selfSignedTlsClientAuth: true, tlsClientAuth: true },
        getCertificate: readCertificate,
        certificateAuthorized: (context: { req: IncomingMessage }) => socketOf(context).authorized,
        certificateSubjectMatches: (context: { req: IncomingMessage }, _: string, expected: string) =>
          readCertificate(context)?.subject === expected,
      },
    },
    settings: (issuer) => ({
      issueRefreshToken: async () => true,
      clientAuthMethods: ["tls_client_auth", "self_signed_tls_client_auth", "client_secret_basic"],
      discovery: {
        mtls_endpoint_aliases: {
          ...{ token_endpoint: `${toAlias(issuer)}/token`, userinfo_endpoint: `${toAlias(issuer)}/me` },
          revocation_endpoint: `${toAlias(issuer)}/token/revocation`,
        },
      },
    }),
  })
}

/** The registration of a self-signed certificate (RFC 8705 §2.2.2). */
function registeredCertificate(): object {
  const x5c = [SELF_SIGNED.cert.replace(/-----[A-Z ]+-----|\s/g, "")]
  const { kty, crv, x, y } = createPublicKey(SELF_SIGNED.cert).export({ format: "jwk" })
  return { kty, crv, x, y, x5c }
}

const clientId = "a-client"
const clientSecret = "a secret, which has more than 32 characters"

/** The codes of the logged errors. */
const readCodes = ({ records }: Pick<ReturnType<typeof recordingLogger>, "records">) =>
  records.flatMap(({ args }) => args.map((arg) => Reflect.get(Object(arg), "messageCode"))).filter(Boolean)

describeServers("the recipes of docs/oauth.md", (start: Start) => {
  async function open(real: RealProvider, provider: object, registered: object, more: Partial<AuthConfig> = {}) {
    const { logger, records } = recordingLogger()
    const complete = { ...provider, options: { clientId, clientSecret, ...Reflect.get(provider, "options") } }
    const config: AuthConfig = { providers: [complete as OIDCConfig], secret: TEST_SECRET, logger, ...more }
    const app = await start(config)
    const redirect_uris = [`${app.origin}${app.basePath}/callback/oidc`]
    await real.addClient({ client_id: clientId, client_secret: clientSecret, redirect_uris, ...registered })
    return { browser: app.browser(), records, config }
  }

  /** Signs in. A provider with a self-signed certificate needs a separate browser, which trusts it: `atProvider`. */
  async function signIn({ browser, records }: Awaited<ReturnType<typeof open>>, atProvider = browser) {
    const { location } = await begin(browser)
    expect(records).toEqual([])
    await browser.get(await signInAtProvider(atProvider, location, "alice"))
    return sessionOf(browser)
  }

  it.each([
    ["of a certificate authority", "tls_client_auth", () => ({ tls_client_auth_subject_dn: "CN=localhost" })],
    ["that is self-signed", "self_signed_tls_client_auth", () => ({ jwks: { keys: [registeredCertificate()] } })],
  ])("present a certificate %s, at the aliases of the endpoints", async (_, method, register) => {
    const provider = documented("### Client certificates", mutualTls.issuer)
    const client = { token_endpoint_auth_method: method }
    const options = { ...provider.options, client, clientSecret: undefined, idToken: false }
    const bound = { tls_client_certificate_bound_access_tokens: true }
    const registered = { client_secret: undefined, ...client, ...bound, ...register() }
    const time = { now: Date.now() }
    const more = { store: MemoryStore(), clock: () => time.now }
    const api = toAlias(mutualTls.issuer)
    const site = await open(mutualTls, { ...provider, options: { ...options, apiOrigins: [api] } }, registered, more)
    expect(await signIn(site, new Browser({ send: byTls }))).toMatchObject({ user: { name: "Alice" } })
    const call = getAuthorizedFetch(site.config, { owner: "oidc:alice", provider: "oidc" })
    expect(await (await call(`${api}/me`)).json()).toMatchObject({ sub: "alice" })
    time.now += 3_600_000
    mutualTls.requests.length = 0
    expect(await (await call(`${api}/me`)).json()).toMatchObject({ sub: "alice" })
    expect(mutualTls.requests.map(({ path }) => path)).toContain("/token")
    expect(site.records).toEqual([])
  })

  it("sign requests for a provider that requires it", async () => {
    const keys = [{ ...publicPart(signing), alg: "ES256", use: "sig" }]
    const registered = { request_object_signing_alg: "ES256", jwks: { keys } }
    const site = await open(signedOnly, documented("### Signed requests", signedOnly.issuer), registered)
    expect(await signIn(site)).toMatchObject({ user: { name: "Alice" } })
  })

  it("are needed: OIDC() alone does not start a sign-in at a provider that requires signed requests", async () => {
    const { browser, records } = await open(signedOnly, OIDC({ issuer: signedOnly.issuer }), {})
    expect((await begin(browser)).location).toContain("/auth/signin?error=")
    expect(readCodes({ records })).toContain("extension-required")
  })

  it.each([
    ["decrypt id_tokens", () => documented("### Encrypted id_tokens", encrypting.issuer), true],
    ["are needed: OIDC() alone refuses encrypted id_tokens", () => OIDC({ issuer: encrypting.issuer }), false],
  ])("%s", async (_, provider, isSignedIn) => {
    const keys = [{ ...publicPart(decryption), alg: "RSA-OAEP-256", use: "enc" }]
    const encryption = { id_token_encrypted_response_alg: "RSA-OAEP-256", id_token_encrypted_response_enc: "A256GCM" }
    const site = await open(encrypting, provider(), { ...encryption, jwks: { keys } })
    expect((await signIn(site)) !== null).toBe(isSignedIn)
    expect(readCodes(site)).toEqual(isSignedIn ? [] : ["extension-required"])
  })
})
