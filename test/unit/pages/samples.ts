import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { inputProps } from "../../../lib/pages/inputs.js"
import { passkeysProps } from "../../../lib/pages/passkeys-props.js"
import type {
  AccountsRemovedProps,
  BaseProps,
  ConfirmProps,
  ContinueProps,
  ErrorProps,
  PageName,
  PageProps,
  ProviderProps,
  ReauthenticateProps,
  SignedInProps,
  SignInProps,
  SignOutProps,
  VerifyRequestProps,
} from "../../../lib/pages/props.js"
import type { Pages, RenderedPage } from "../../../lib/pages/render.js"
import { sessionsProps } from "../../../lib/pages/sessions-props.js"
import { type ArrangeOptions, arrangeMethods } from "../../../lib/pages/sign-in-blocks.js"
import { createLanguages } from "../../../lib/pages/texts.js"
import { createQrCode } from "../../../lib/second-factor/totp.js"

export const english = createLanguages({}).for("en")

const baseProps: BaseProps = {
  ...english,
  title: "Sign In",
  colorScheme: "auto",
  logo: undefined,
  homeUrl: "https://app.test",
  host: "app.test",
  siteName: "app.test",
  signInUrl: "https://app.test/auth/signin",
  icon: { href: "/auth/assets/icon.a-hash.svg", integrity: "sha256-a-hash" },
  styles: { href: "/auth/assets/styles.a-hash.css", integrity: "sha256-a-hash" },
  scripts: [],
  nonce: undefined,
}

const FORMS = {
  oauth: "redirect",
  oidc: "redirect",
  email: "email",
  credentials: "fields",
  webauthn: "passkey",
} as const

export const provider = (more: Partial<ProviderProps> = {}): ProviderProps => ({
  form: FORMS[more.type ?? "oauth"],
  id: "github",
  name: "GitHub",
  type: "oauth",
  action: "https://app.test/auth/signin/github",
  inputs: [],
  logo: undefined,
  icon: undefined,
  initial: "G",
  label: "continue",
  ...more,
})

export const github = provider()
export const keycloak = provider({ id: "keycloak", name: "Keycloak", type: "oidc", initial: "K" })
export const mail = provider({
  id: "email",
  name: "Email",
  type: "email",
  action: "https://app.test/auth/signin/email",
})
export const credentials = provider({
  id: "credentials",
  name: "Credentials",
  type: "credentials",
  action: "https://app.test/auth/callback/credentials",
  inputs: inputProps("credentials", {
    username: { label: "User name", required: true },
    password: { label: "Password", type: "password" },
    remember: { label: "Remember me", type: "checkbox" },
    tenant: { type: "hidden", value: "acme" },
  }),
})

type SignInSample = Partial<SignInProps> & { readonly layout?: ArrangeOptions["layout"] }

export const signIn = ({
  layout = "form-first",
  providers = [github, keycloak, credentials, mail],
  ...more
}: SignInSample = {}): SignInProps => ({
  ...baseProps,
  providers,
  blocks: arrangeMethods(providers, { layout, lastUsed: more.lastUsed, email: more.email ?? "", t: english.t }),
  lastUsed: undefined,
  isConnecting: false,
  passkeysUrl: undefined,
  signUpUrl: undefined,
  forgotPasswordUrl: undefined,
  csrfToken: "a-token",
  callbackUrl: "https://app.test/me",
  email: "",
  remember: undefined,
  error: undefined,
  errorSubject: undefined,
  reference: undefined,
  ...more,
})
const signedIn: SignedInProps = {
  ...baseProps,
  title: "You're signed in already",
  account: "Ada Lovelace",
  email: "ada@example.com",
  image: undefined,
  initial: "A",
  continueUrl: "https://app.test/me",
  connectUrl: "https://app.test/auth/signin?connect=true",
  switchAction: "https://app.test/auth/signout",
  csrfToken: "a-token",
  callbackUrl: "https://app.test/auth/signin",
}
const signOut: SignOutProps = {
  ...baseProps,
  title: "Sign Out",
  csrfToken: "a-token",
  callbackUrl: "https://app.test/",
  action: "https://app.test/auth/signout",
}
export const failure: ErrorProps = {
  ...baseProps,
  title: "Error",
  heading: "A heading",
  message: "A message",
  offersSignIn: true,
  linksToReauthentication: false,
  isRetry: true,
  reference: undefined,
}
const confirm: ConfirmProps = {
  ...baseProps,
  title: "Confirm Sign In",
  csrfToken: "a-token",
  callbackUrl: "https://app.test/",
  action: "https://app.test/auth/callback/mail",
  token: "a-link",
  email: "ada@example.com",
  account: "ada@example.com",
  remember: false,
  isReauthentication: false,
}
const reauthenticate: ReauthenticateProps = {
  ...baseProps,
  title: "Confirm that it's you",
  providers: [keycloak, credentials, mail],
  account: "ada@example.com",
  email: "ada@example.com",
  csrfToken: "a-token",
  callbackUrl: "https://app.test/me",
  error: undefined,
  reference: undefined,
  requiredQuery: "max_age=600",
  secondFactorUrl: "https://app.test/auth/second-factor?challenge=true",
  signOutUrl: "https://app.test/auth/signout",
}
const accountsRemoved: AccountsRemovedProps = {
  ...baseProps,
  title: "Sign-in Methods Removed",
  names: ["GitHub", "Passkey"],
  continueUrl: "https://app.test/me",
}
const continuing: ContinueProps = {
  ...baseProps,
  title: "Continue",
  continueUrl: "https://id.test/authorize?a=1&b=2",
  refresh: "0;url=https://id.test/authorize?a=1&b=2",
  destination: "id.test",
}
export const passkeys = passkeysProps(
  { ...baseProps, title: "Your passkeys" },
  [
    {
      ...{ credentialID: "aGk=", name: "Laptop", createdAt: new Date("2026-03-01T12:00:00Z") },
      ...{ isSynced: true, canRename: true, canRemove: true, isLastMethod: false },
    },
    { credentialID: "aG8=", isSynced: false, canRename: true, canRemove: false, isLastMethod: true },
    { credentialID: "aGk0", isSynced: true, canRename: true, canRemove: false, isLastMethod: false },
  ],
  {
    forms: {
      action: "https://app.test/auth/passkeys",
      addAction: "https://app.test/auth/callback/passkey",
      optionsUrl: "https://app.test/auth/webauthn-options/passkey",
      callbackUrl: "https://app.test/auth/passkeys",
      csrfToken: "a-token",
      sessionsUrl: "https://app.test/auth/sessions",
    },
    now: Date.UTC(2026, 2, 1, 12),
  },
)
const NOW = Date.UTC(2026, 2, 1, 12)
export const sessions = sessionsProps(
  { ...baseProps, title: "Where you are signed in" },
  [
    {
      id: "one",
      lastSeenAt: NOW - 3_600_000,
      browser: "Firefox",
      platform: "Windows",
      authentication: { provider: "github" },
    },
    { id: "two", lastSeenAt: NOW - 240_000, address: "192.0.2.0/24" },
  ],
  {
    ...{ action: "https://app.test/auth/sessions", csrfToken: "a-token", currentId: "two", now: NOW },
    devices: [],
    providerName: () => "GitHub",
  },
)
const verifyRequest: VerifyRequestProps = {
  ...baseProps,
  email: "ada@example.com",
  webmail: undefined,
  resendAction: "https://app.test/auth/signin/email",
  codeAction: "https://app.test/auth/callback/email",
  csrfToken: "a-token",
  callbackUrl: "https://app.test/me",
  remember: true,
  isReauthentication: false,
  isResendDelayed: true,
  error: "This code isn't right.",
}
const forms = { action: "https://app.test/auth/second-factor", csrfToken: "a-token" }
const secondFactor = {
  ...{ ...baseProps, ...forms, title: "Second factor", callbackUrl: "https://app.test/me", trustDuration: "30 days" },
  ...{ hasApp: true, hasRecovery: true, passkeyAction: "https://app.test/auth/callback/passkey" },
  optionsUrl: "https://app.test/auth/webauthn-options/passkey",
  isRecoveryRefused: false,
  ...{ isReauthentication: false, error: "This code isn't right.", cancelUrl: "https://app.test/auth/signin?cancel=1" },
}
const secondFactorSetup = {
  ...{ ...baseProps, ...forms, title: "Set up your authenticator app", callbackUrl: "https://app.test/me" },
  ...{ qrCode: createQrCode({ issuer: "app.test", label: "ada", secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP" }) },
  ...{ secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", setup: "sealed", error: undefined, isSignIn: true },
  cancelUrl: "https://app.test/auth/signin?cancel=1",
}
const recoveryCodes = {
  ...{ ...baseProps, title: "Your recovery codes", codes: ["CDFHJ-47XYM", "KMNPR-TVWXY"] },
  ...{ downloadUrl: "data:text/plain;charset=utf-8,CDFHJ-47XYM", continueUrl: "https://app.test/me" },
}
const secondFactorSettings = {
  ...{ ...baseProps, ...forms, title: "Your second factor", isEnrolled: true, codesLeft: 8, hasRecovery: true },
  ...{ canRemove: true, setupUrl: "https://app.test/auth/second-factor?setup=true" },
  passkeysUrl: "https://app.test/auth/passkeys",
}
const PROPS: PageProps = {
  ...{ "second-factor": secondFactor, "second-factor-setup": secondFactorSetup, "recovery-codes": recoveryCodes },
  "second-factor-settings": secondFactorSettings,
  ...{ signin: signIn(), "signed-in": signedIn, signout: signOut, error: failure, "verify-request": verifyRequest },
  ...{ confirm, passkeys, reauthenticate, sessions, "accounts-removed": accountsRemoved, continue: continuing },
}

export const PAGE_NAMES = [
  "signin",
  "signout",
  "error",
  "verify-request",
  "confirm",
  "accounts-removed",
  "continue",
] as const satisfies PageName[]

/** A page with sample props. */
export const renderSample = <N extends PageName>(
  pages: Pages,
  name: N,
  more: Partial<PageProps[N]> = {},
): RenderedPage => pages.render(name, { ...PROPS[name], ...more })

export interface Tag {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

const ATTRIBUTES = `((?:[^>"']|"[^"]*"|'[^']*')*)`

/** The opening tags of a page, with their attributes as they are written. */
export function tagsOf(html: string): Tag[] {
  return [...html.matchAll(new RegExp(`<([a-z][a-z0-9]*)\\b${ATTRIBUTES}>`, "gi"))].map(([, name = "", text = ""]) => ({
    name,
    attributes: Object.fromEntries(
      [...text.matchAll(/([^\s"'=]+)(?:="([^"]*)")?/g)].map(([, key = "", value = ""]) => [key, value]),
    ),
  }))
}

/** Returns the pages' style sheet as it is served. */
export function styleOf(pages: Pages): string {
  const [, name = ""] = pages.assetLinks("").styles.href.split("/assets/")
  const asset = pages.asset(name)
  if (!asset) throw new Error("the pages have no style sheet")
  return asset.body
}

/** Returns the directives of a page's Content-Security-Policy by name. */
export function policyOf({ headers }: RenderedPage): Record<string, string> {
  const directives = (headers["Content-Security-Policy"] ?? "").split("; ").map((text) => text.split(/ (.*)/))
  return Object.fromEntries(directives.map(([name = "", sources = ""]) => [name, sources]))
}

const folders: string[] = []

/** Creates a folder with these files, which is deleted after the tests of the file. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-views-"))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
