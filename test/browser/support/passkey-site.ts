/**
 * A site with passkeys that uses only the script and the views of this package.
 *
 * @module
 */
import { createServer } from "node:http"
import { join } from "node:path"
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from "@simplewebauthn/server"
import express, { type Request, type Response } from "express"
import { inputProps } from "../../../lib/pages/inputs.js"
import type { ProviderProps } from "../../../lib/pages/props.js"
import { createTemplates, createViewResolver } from "../../../lib/pages/templates.js"
import { createLanguages } from "../../../lib/pages/texts.js"
import { listen } from "../../support/listen.js"

const RP_ID = "localhost"

export interface PasskeySite {
  readonly origin: string
  /** The query of each request for options. */
  readonly optionRequests: string[]
  /** The fields of each posted form, and whether its credential is valid. */
  readonly sent: { readonly fields: Record<string, string>; readonly isValid: boolean }[]
  /** Answers the next requests for options with this status. */
  refuseWith(status: number | undefined): void
  /** Delays requests for options until the returned function is called. */
  hold(): () => void
  close(): Promise<void>
}

export interface PasskeySiteOptions {
  /** Whether a field offers passkeys by autofill. @default true */
  readonly hasField?: boolean
}

const provider = (more: Partial<ProviderProps>): ProviderProps => ({
  ...{ id: "passkey", name: "Passkey", type: "webauthn", form: "passkey", action: "/sent", optionsUrl: "/options" },
  inputs: inputProps("passkey", { email: { label: "Email", type: "email", required: true } }),
  ...{ logo: undefined, icon: undefined, initial: "P", label: "continue", hasAutofill: true, isDiscoverable: true },
  ...more,
})

const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; form-action 'self'; style-src 'self'"

/** The views of the sign-in method in the site's own page. */
function createPage({ hasField = true }: PasskeySiteOptions): () => string {
  const render = createTemplates(createViewResolver(undefined))
  const props = { ...createLanguages({}).for("en"), provider: provider({}), csrfToken: "a-token", callbackUrl: "/me" }
  const field = '<label>Name <input name="name" autocomplete="username webauthn"></label>'
  return () => `<!doctype html><html lang="en"><title>A site</title><link rel="stylesheet" href="/styles.css">
    <script type="module" src="/passkeys.js"></script><main><h1>Welcome</h1>${hasField ? field : ""}
    ${render("methods/webauthn", props)}${render("methods/webauthn-register", props)}</main></html>`
}

/** Stores issued challenges and registered passkeys. */
function createStore() {
  const challenges = new Set<string>()
  const known = new Map<string, WebAuthnCredential>()
  const isOurs = (challenge: string) => challenges.delete(challenge)
  return {
    async optionsFor(action: string) {
      const excludeCredentials = [...known.values()].map(({ id }) => ({ id }))
      const options =
        action === "register"
          ? await generateRegistrationOptions({
              ...{ rpName: "A site", rpID: RP_ID, userName: "ada@example.com", excludeCredentials },
              authenticatorSelection: { residentKey: "required", userVerification: "required" },
            })
          : await generateAuthenticationOptions({ rpID: RP_ID, userVerification: "required" })
      challenges.add(options.challenge)
      return { action, options }
    },
    async isValid(action: string, data: string, origin: string): Promise<boolean> {
      const expected = { expectedChallenge: isOurs, expectedOrigin: origin, expectedRPID: RP_ID }
      const response = JSON.parse(data)
      if (action === "register") {
        const { verified, registrationInfo } = await verifyRegistrationResponse({ ...expected, response })
        if (registrationInfo) known.set(registrationInfo.credential.id, registrationInfo.credential)
        return verified
      }
      const credential = known.get(response.id)
      if (!credential) return false
      return (await verifyAuthenticationResponse({ ...expected, response, credential })).verified
    },
  }
}

/** Starts the site on `localhost`, because passkeys require a domain. */
export async function startPasskeySite(options: PasskeySiteOptions = {}): Promise<PasskeySite> {
  const store = createStore()
  const page = createPage(options)
  const state: { status?: number | undefined; gate?: Promise<void> | undefined } = {}
  const optionRequests: PasskeySite["optionRequests"] = []
  const sent: PasskeySite["sent"] = []
  const views = join(__dirname, "../../../views")

  async function answerOptions(req: Request, res: Response) {
    const { search, searchParams } = new URL(req.url, "http://localhost")
    optionRequests.push(search)
    await state.gate
    if (state.status === undefined) res.json(await store.optionsFor(searchParams.get("action") ?? ""))
    else res.status(state.status).json({ error: "no" })
  }

  const app = express()
  app.use((_req, res, next) => next(void res.set("Content-Security-Policy", POLICY).set("Cache-Control", "no-store")))
  app.get("/", (_req, res) => res.type("html").send(page()))
  app.get(["/passkeys.js", "/styles.css"], (req, res) => res.sendFile(join(views, req.path)))
  app.get("/favicon.ico", (_req, res) => res.status(204).end())
  app.get("/options", answerOptions)
  app.post("/sent", express.urlencoded(), async (req: Request, res: Response) => {
    const fields: Record<string, string> = req.body
    const isValid = await store.isValid(fields["action"] ?? "", fields["data"] ?? "", site.origin)
    sent.push({ fields, isValid })
    res.redirect(303, "/me")
  })
  app.get("/me", (_req, res) => res.type("html").send("<!doctype html><title>Me</title><h1>Signed in</h1>"))
  const { origin, close } = await listen(createServer(app))
  const site: PasskeySite = {
    origin: origin.replace("127.0.0.1", RP_ID),
    optionRequests,
    sent,
    refuseWith(status) {
      state.status = status
    },
    hold() {
      let open = () => {}
      state.gate = new Promise<void>((resolve) => {
        open = resolve
      })
      return () => {
        state.gate = undefined
        open()
      }
    },
    close,
  }
  return site
}
