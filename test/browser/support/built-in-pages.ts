/**
 * Sites with the built-in pages, every sign-in method and every error.
 *
 * @module
 */
import { createServer } from "node:http"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { authMiddleware } from "../../../lib/index.js"
import { inputProps } from "../../../lib/pages/inputs.js"
import { reauthenticationMessage } from "../../../lib/pages/messages.js"
import { passkeysProps } from "../../../lib/pages/passkeys-props.js"
import type { BaseProps, ProviderProps, ReauthenticateProps } from "../../../lib/pages/props.js"
import { createPages, type Pages, type RenderedPage } from "../../../lib/pages/render.js"
import { sessionsProps } from "../../../lib/pages/sessions-props.js"
import { createLanguages } from "../../../lib/pages/texts.js"
import Credentials from "../../../lib/providers/credentials.js"
import GitHub from "../../../lib/providers/github.js"
import Keycloak from "../../../lib/providers/keycloak.js"
import Nodemailer from "../../../lib/providers/nodemailer.js"
import Passkey from "../../../lib/providers/passkey.js"
import type { AuthConfig } from "../../../lib/types.js"
import { TEST_SECRET } from "../../support/apps.js"
import { type Listening, listen } from "../../support/listen.js"
import { recordingLogger } from "../../support/recording-logger.js"
import { secondFactorPages } from "./second-factor-pages.js"

const client = { clientId: "an-id", clientSecret: "a-secret" }
const buttons = [GitHub(client), Keycloak({ ...client, issuer: "https://id.test", name: "The company's own sign-in" })]
const email = Nodemailer({ server: "smtp://127.0.0.1:1", from: "no-reply@app.test" })
const password = Credentials({
  credentials: {
    username: { label: "User name", required: true },
    password: { label: "Password", type: "password", required: true },
    remember: { label: "Remember me", type: "checkbox" },
  },
  authorize: (credentials) => (credentials.password === "right" ? { id: "7", name: "Ada" } : null),
})

const LONG_ADDRESS = `${"a-very-long-name.".repeat(3)}ada@mail.a-long-department.example.com`

const BRAND = { brandColor: "#346df1", logo: "/logo.svg" }
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 3"><path fill="#346df1" d="M0 0h9v3H0z"/></svg>`

/** The sites by base path. */
const SITES: Readonly<Record<string, Partial<AuthConfig>>> = {
  // The page has its own order, independent of the order of the configuration.
  "/all": { providers: [...buttons, Passkey, email, password], theme: BRAND },
  "/buttons": { providers: buttons },
  "/email": { providers: [email] },
  "/password": { providers: [password] },
  "/ask": { providers: [...buttons, email], session: { strategy: "jwt", remember: "ask" } },
  "/passkey": { providers: [Passkey], theme: { brandColor: "#16a34a" } },
}

/** Every page, with every sign-in method and the common errors. */
export const PATHS = [
  ...Object.keys(SITES).map((base) => `${base}/signin`),
  ...["OAuthCallbackError", "CredentialsSignin"].map((error) => `/all/signin?error=${error}`),
  "/all/signin?error=EmailSignInError&email=ada%40exmaple",
  "/email/signin?error=EmailSignin&email=ada%40example.com",
  "/buttons/signin?error=OAuthAccountNotLinked",
  "/password/signin?error=CredentialsSignin",
  "/passkey/signin?error=SessionRequired",
  ...["signout", "verify-request", "error?error=Verification", "error?error=Configuration"].map(
    (page) => `/all/${page}`,
  ),
  "/email/callback/nodemailer?token=a-link&email=ada%40example.com",
  "/passkeys",
  "/sessions",
  "/accounts-removed",
  ...["/second-factor", "/second-factor-refused", "/second-factor-passkey", "/recovery-codes"],
  ...["/second-factor-setup", "/second-factor-setup-refused"],
  ...["/second-factor-settings", "/second-factor-settings-off"],
  "/reauthenticate",
  "/reauthenticate/refused",
  "/reauthenticate/impossible",
]

const methodProps = { inputs: [], logo: undefined, icon: undefined, initial: "I", label: "continue" } as const

/** A form for each method with which a user can confirm who they are. */
const CONFIRMATIONS: readonly ProviderProps[] = [
  {
    ...methodProps,
    id: "idp",
    type: "oidc",
    form: "redirect",
    name: "The company's own sign-in",
    action: "/all/signin/idp",
  },
  { ...methodProps, id: "nodemailer", type: "email", form: "email", name: "Email", action: "/all/signin/nodemailer" },
  {
    ...{
      ...methodProps,
      id: "passkey",
      type: "webauthn",
      form: "passkey",
      name: "Passkey",
      action: "/all/callback/passkey",
    },
    ...{ optionsUrl: "/all/webauthn-options/passkey", isDiscoverable: true },
  },
  {
    ...{
      ...methodProps,
      id: "credentials",
      type: "credentials",
      form: "fields",
      name: "Password",
      action: "/all/callback/credentials",
    },
    inputs: inputProps("credentials", { password: { label: "Password", type: "password", required: true } }, {}),
  },
]

/** The page on which users confirm who they are, in its variants by path. */
const confirmationPages = (pages: Pages) =>
  Object.entries({
    "/reauthenticate": { providers: CONFIRMATIONS, secondFactorUrl: "/second-factor" },
    "/reauthenticate/refused": { providers: CONFIRMATIONS, error: "AccountNotLinked", reference: "K7QF-3M2X" },
    "/reauthenticate/impossible": { error: "ConfirmationRequired" },
  } satisfies Record<string, Partial<ReauthenticateProps>>).map(([path, over]) => {
    const render = (common: BaseProps) => {
      const { passkeys } = pages.assetLinks("/all")
      const { error = undefined, ...more } = { ...over }
      return pages.render("reauthenticate", {
        ...{
          ...common,
          scripts: passkeys ? [passkeys] : [],
          providers: [],
          account: LONG_ADDRESS,
          email: LONG_ADDRESS,
        },
        ...{ csrfToken: "", callbackUrl: "", requiredQuery: "max_age=600", reference: undefined },
        ...{ secondFactorUrl: undefined, signOutUrl: "/all/signout", ...more },
        error: reauthenticationMessage(error, common.t),
      })
    }
    return [path, render] as const
  })

/** Pages for signed-in users, by path. */
function createUserPages() {
  const pages = createPages({ theme: BRAND })
  const { styles, icon, passkeys } = pages.assetLinks("/all")
  const languages = createLanguages({})
  const basePropsFor = (acceptLanguage: string | undefined): BaseProps => ({
    ...languages.for(acceptLanguage),
    ...{ title: "A page", colorScheme: "auto", logo: BRAND.logo, homeUrl: "/", host: "app.test", siteName: "app.test" },
    ...{ signInUrl: "/all/signin", styles, icon, scripts: [], nonce: undefined },
  })
  const may = { canRename: true, canRemove: true, isLastMethod: false }
  const facts = [
    { ...may, credentialID: "a", name: "Laptop", createdAt: new Date("2026-03-01T12:00:00Z"), isSynced: true },
    {
      ...may,
      lastUsedAt: new Date(Date.now() - 7_200_000),
      credentialID: "b",
      isSynced: false,
      canRemove: false,
      isLastMethod: true,
    },
  ]
  const place = { action: "", addAction: "", optionsUrl: "", callbackUrl: "", csrfToken: "", sessionsUrl: "/sessions" }
  const scripts = passkeys ? [passkeys] : []
  const now = Date.now()
  const sessions = [
    { id: "a", lastSeenAt: now, browser: "Firefox", platform: "Windows", authentication: { provider: "github" } },
    { id: "b", lastSeenAt: now - 7_200_000, address: "2001:db8:85a3:8d3:1319:8a2e:370:7348" },
  ]
  const devices = [{ id: "c", browser: "Safari", platform: "macOS", createdAt: now }]
  const list = { action: "", csrfToken: "", currentId: "a", now, providerName: () => "GitHub", devices }
  const byPath = new Map<string, (common: BaseProps) => RenderedPage>([
    [
      "/passkeys",
      (common) => pages.render("passkeys", { ...passkeysProps(common, facts, { forms: place, now }), scripts }),
    ],
    ["/sessions", (common) => pages.render("sessions", sessionsProps(common, sessions, list))],
    [
      "/accounts-removed",
      (common) => pages.render("accounts-removed", { ...common, names: ["GitHub", "Passkey"], continueUrl: "/" }),
    ],
    ...secondFactorPages(pages, scripts),
    ...confirmationPages(pages),
  ])
  return (path: string, acceptLanguage: string | undefined): RenderedPage | undefined =>
    byPath.get(path)?.(basePropsFor(acceptLanguage))
}

const configOf = (over: Partial<AuthConfig>): AuthConfig => ({
  ...{ providers: [], secret: TEST_SECRET, trustHost: true, adapter: MemoryAdapter(), rateLimit: false },
  ...{ experimental: { enableWebAuthn: true }, logger: recordingLogger().logger, session: { strategy: "jwt" } },
  ...over,
})

/** Serves the sites, and further ones by base path. */
export async function startBuiltInPages(more: Readonly<Record<string, Partial<AuthConfig>>> = {}): Promise<Listening> {
  const middlewares = Object.entries({ ...SITES, ...more }).map(([basePath, over]) =>
    authMiddleware(configOf({ ...over, basePath })),
  )
  const renderUserPage = createUserPages()
  const server = createServer((req, res) => {
    if (req.url === "/logo.svg") return res.setHeader("Content-Type", "image/svg+xml").end(LOGO)
    const userPage = renderUserPage(req.url ?? "", req.headers["accept-language"])
    if (userPage) return res.writeHead(200, userPage.headers).end(userPage.html)
    const rest = [...middlewares]
    const next = (): void => {
      const middleware = rest.shift()
      if (middleware) middleware(req, res, next)
      // Answers requests for missing resources, because browsers report those as errors.
      else res.writeHead(404).end()
    }
    return next()
  })
  return listen(server)
}
