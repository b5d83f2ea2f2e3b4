/**
 * Sign-in by a link in an email.
 *
 * @module
 */
import type { Page } from "../../support/browser.js"
import { type Case, recordingCallbacks, type Stage, type Visitor } from "../support/case.js"
import { AS_SCRIPT, JSON_MODE } from "../support/requests.js"

const ADA = "ada@example.com"
const JWT = { session: { strategy: "jwt" } }
const fail = () => {
  throw new Error("the application's own mistake")
}

/** Rejects after a delay, because an immediate rejection would be unhandled in Auth.js and end the process. */
const rejectLater = () => new Promise((_, reject) => setTimeout(reject, 20, new Error("550 mailbox unavailable")))

interface Options {
  mail?: object
  more?: (stage: Stage) => object
}

/** A configuration with a store, a mailbox, and callbacks that record their calls. */
const withMail =
  ({ mail, more = () => ({}) }: Options = {}) =>
  (stage: Stage) => ({
    adapter: stage.store.adapter,
    providers: [stage.mailbox.provider(mail), stage.op.oidc()],
    ...recordingCallbacks(stage),
    ...more(stage),
  })

const signIn = (answer: (params: { email?: unknown }) => unknown) => (stage: Stage) => ({
  callbacks: { ...recordingCallbacks(stage).callbacks, signIn: answer },
})
const atStart = (answer: () => unknown) => signIn(({ email }) => (email ? answer() : true))
const atLink = (answer: () => unknown) => signIn(({ email }) => (email ? true : answer()))

const failingStore = (method: string) => (stage: Stage) => ({
  adapter: { ...stage.store.adapter, [method]: () => Promise.reject(new Error("the store is down")) },
})

const requestLink = ({ post }: Visitor, email = ADA, more: Record<string, string> = {}, init = {}): Promise<Page> =>
  post("/auth/signin/mail", { email, ...more }, init)

/** Requests another email in the same browser, without the cookie that limits a browser to one email in 30 seconds. */
const requestAnotherLink = (visitor: Visitor): Promise<Page> => {
  visitor.browser.jar.forget(({ name }) => name === "authjs.state.mail")
  return requestLink(visitor)
}

/** Opens the newest link in the browser that requested it, after an optional change of the link. */
const openLink = ({ browser, mailbox }: Visitor, change: (link: URL) => void = () => {}): Promise<Page> => {
  const link = new URL(mailbox.link())
  change(link)
  return browser.get(link.href)
}

/** Requests a link and opens it. */
const signInByLink = async (visitor: Visitor, email = ADA): Promise<Page> => {
  await requestLink(visitor, email)
  return openLink(visitor)
}

/** Adds a user. */
const addUser = ({ store }: Visitor, more: object = {}) =>
  store.users.push({ id: "user-1", email: ADA, emailVerified: null, name: "Ada", ...more })

const start = (name: string, options: Options = {}, run: Case["run"] = (visitor) => requestLink(visitor)): Case => ({
  name: `email: ${name}`,
  config: withMail(options),
  run,
})
const link = (name: string, options: Options = {}, run: Case["run"] = (visitor) => signInByLink(visitor)): Case => ({
  name: `email: ${name}`,
  config: withMail(options),
  run,
})

const STARTS: Case[] = [
  start("a link is requested"),
  start("a link is requested, over https"),
  start("a known user requests a link", {}, (visitor) => {
    addUser(visitor)
    return requestLink(visitor)
  }),
  start("a link is requested, with a callbackUrl", {}, (visitor) =>
    requestLink(visitor, ADA, { callbackUrl: "/cart?a=1" }),
  ),
  start("a link is requested, with a foreign callbackUrl", {}, (visitor) =>
    requestLink(visitor, ADA, { callbackUrl: "https://evil.test/" }),
  ),
  start("a link is requested, in JSON mode", {}, (visitor) => requestLink(visitor, ADA, {}, JSON_MODE)),
  start("a link is requested without the token", {}, ({ browser }) =>
    browser.post("/auth/signin/mail", { email: ADA }),
  ),
  start(
    "a link is requested, custom page",
    { more: () => ({ pages: { verifyRequest: "/check" } }) },
    async (visitor) => {
      const page = await requestLink(visitor)
      return [page, await visitor.get(page.location)]
    },
  ),
  start("the page after the request", {}, async (visitor) => visitor.get((await requestLink(visitor)).location)),
  start("the sign-in page", {}, ({ get }) => get("/auth/signin?callbackUrl=/cart", {})),
  start("the providers", {}, ({ get }) => get("/auth/providers", AS_SCRIPT)),
  start("two links are requested", {}, async (visitor) => [
    await requestLink(visitor),
    await requestAnotherLink(visitor),
  ]),
  start("six links are requested", {}, async (visitor) => {
    const pages = []
    for (let i = 0; i < 6; i++) pages.push(await requestAnotherLink(visitor))
    return pages.slice(-1)
  }),
  start("a custom maxAge", { mail: { maxAge: 600 } }),
  start("a custom token", { mail: { generateVerificationToken: () => "own-token" } }),
  start("a custom secret", { mail: { secret: "of-the-mail" } }),
  start("options that override", { mail: { options: { maxAge: 60, from: "x@example.com" } } }),
  start("a custom normalizeIdentifier", { mail: { normalizeIdentifier: (text: string) => text.toUpperCase() } }),
  start("a normalizeIdentifier that throws", { mail: { normalizeIdentifier: fail } }),
  start("signIn returns false", { more: atStart(() => false) }),
  start("signIn throws", { more: atStart(fail) }),
  start("signIn returns a path", { more: atStart(() => "/wrong") }),
  start("signIn returns a foreign URL", { more: atStart(() => "https://evil.test/") }),
  start("the sender throws", { mail: { sendVerificationRequest: fail } }),
  start("the sender rejects", { mail: { sendVerificationRequest: rejectLater } }, (visitor) =>
    requestLink(visitor, ADA, { callbackUrl: "/cart" }),
  ),
  start("the store cannot store the link", { more: failingStore("createVerificationToken") }),
  start("the store does not find users", { more: failingStore("getUserByEmail") }),
  ...[
    " Ada@Example.COM ",
    "",
    "ada",
    "ada@example.com,bob@example.com",
    "ada,bob@example.com",
    '"bob@evil.test"@example.com',
    "ada@example@example.com",
    "ada@example.com\uff20evil.test",
    "ada@b\u00fccher.example",
    "Ada <ada@example.com>",
    "ada@example.com\r\nBcc: bob@example.com",
    `${"a".repeat(65)}@example.com`,
  ].map((email) => start(`the address ${JSON.stringify(email)}`, {}, (visitor) => requestLink(visitor, email))),
]

const LINKS: Case[] = [
  link("a new user"),
  link("a new user, over https"),
  link("a new user, sessions in cookies", { more: () => JWT }),
  link("a known user", {}, (visitor) => {
    addUser(visitor)
    return signInByLink(visitor)
  }),
  link("a known user, sessions in cookies", { more: () => JWT }, (visitor) => {
    addUser(visitor)
    return signInByLink(visitor)
  }),
  link("a new user, with a callbackUrl", {}, async (visitor) => {
    await requestLink(visitor, ADA, { callbackUrl: "/cart" })
    return openLink(visitor)
  }),
  link("a new user, newUser page", { more: () => ({ pages: { newUser: "/welcome" } }) }, async (visitor) => {
    await requestLink(visitor, ADA, { callbackUrl: "/cart" })
    return openLink(visitor)
  }),
  link("a known user, newUser page", { more: () => ({ pages: { newUser: "/welcome" } }) }, (visitor) => {
    addUser(visitor)
    return signInByLink(visitor)
  }),
  link("the session afterwards", {}, async (visitor) => {
    await signInByLink(visitor)
    return visitor.get("/auth/session", AS_SCRIPT)
  }),
  link("signed in as the same user", {}, async (visitor) => {
    await signInByLink(visitor)
    return signInByLink(visitor)
  }),
  link("signed in as another user", {}, async (visitor) => {
    await signInByLink(visitor, "bob@example.com")
    return signInByLink(visitor)
  }),
  link("a known user, signed in as another user", {}, async (visitor) => {
    addUser(visitor, { id: "user-0" })
    await signInByLink(visitor, "bob@example.com")
    return signInByLink(visitor)
  }),
  link("a new user, signed in as another user, sessions in cookies", { more: () => JWT }, async (visitor) => {
    await signInByLink(visitor, "bob@example.com")
    return signInByLink(visitor)
  }),
  link("a link in another browser", {}, async (visitor) => {
    await requestLink(visitor)
    visitor.browser.jar.forget()
    return openLink(visitor)
  }),
  link("a link that is first opened with HEAD", {}, async (visitor) => {
    await requestLink(visitor)
    return [await visitor.browser.request(visitor.mailbox.link(), { method: "HEAD" }), await openLink(visitor)]
  }),
  link("a link that is opened twice", {}, async (visitor) => {
    await signInByLink(visitor)
    return openLink(visitor)
  }),
  link("the first of two links", {}, async (visitor) => {
    await requestLink(visitor)
    const first = visitor.mailbox.link()
    await requestAnotherLink(visitor)
    return visitor.browser.get(first)
  }),
  link("a link without its token", {}, async (visitor) => {
    await requestLink(visitor)
    return openLink(visitor, ({ searchParams }) => searchParams.delete("token"))
  }),
  link("a link without its email address", {}, async (visitor) => {
    await requestLink(visitor)
    return openLink(visitor, ({ searchParams }) => searchParams.delete("email"))
  }),
  link("a link with another email address", {}, async (visitor) => {
    await requestLink(visitor)
    return openLink(visitor, ({ searchParams }) => searchParams.set("email", "bob@example.com"))
  }),
  link("a link with another token", {}, async (visitor) => {
    await requestLink(visitor)
    return openLink(visitor, ({ searchParams }) => searchParams.set("token", "wrong"))
  }),
  link("an expired link", {}, async (visitor) => {
    await requestLink(visitor)
    for (const stored of visitor.store.links) stored.expires = new Date(Date.now() - 1)
    return openLink(visitor)
  }),
  link("a link with a foreign callbackUrl", {}, async (visitor) => {
    await requestLink(visitor)
    return openLink(visitor, ({ searchParams }) => searchParams.set("callbackUrl", "https://evil.test/"))
  }),
  link("a link with a custom token and secret", {
    mail: { generateVerificationToken: async () => "own-token", secret: "of-the-mail" },
  }),
  link("a link that is posted", {}, async (visitor) => {
    await requestLink(visitor)
    return visitor.post(visitor.mailbox.link())
  }),
  link("a link that is posted without the CSRF token", {}, async (visitor) => {
    await requestLink(visitor)
    return visitor.browser.post(visitor.mailbox.link())
  }),
  link("signIn returns false at the link", { more: atLink(() => false) }),
  link("signIn throws at the link", { more: atLink(fail) }),
  link("signIn returns a path at the link", { more: atLink(() => "/wrong") }),
  link("the store fails at the link", { more: failingStore("useVerificationToken") }),
  link("the store can't create users", { more: failingStore("createUser") }),
  link("jwt ends the session", {
    more: (stage) => ({ ...JWT, callbacks: { ...recordingCallbacks(stage).callbacks, jwt: () => null } }),
  }),
  link("a user known by a provider", {}, async (visitor) => {
    visitor.op.set({ user: { sub: "ada", name: "Ada", email: ADA } })
    await visitor.viaProvider("oidc")
    visitor.browser.jar.forget()
    return signInByLink(visitor)
  }),
  link("a provider after the link", {}, async (visitor) => {
    await signInByLink(visitor)
    visitor.browser.jar.forget()
    visitor.op.set({ user: { sub: "ada", name: "Ada", email: ADA } })
    return visitor.viaProvider("oidc")
  }),
]

const overHttps = (one: Case): Case => (one.name.endsWith("over https") ? { ...one, origin: "https://app.test" } : one)

export const EMAIL: Case[] = [...STARTS, ...LINKS].map(overHttps)
