import type { AdapterUser } from "../../../lib/adapters/adapter.js"
import { AccessDenied, AuthError } from "../../../lib/errors/errors.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer, describeServers, type Start } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, type MailSite, signInByMail, startMailSite } from "../support/mail.js"
import { type BothOptions, startMailAndProvider } from "../support/mail-and-provider.js"
import { sessionCookies, sessionOf, signIn } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const ADA = "ada@example.com"
const COOKIE = "authjs.session-token"
const STRATEGIES = ["database", "jwt"] as const

const existingUser = (more: Partial<AdapterUser> = {}): AdapterUser => ({
  ...{ id: "user-0", name: "Ada", email: ADA, emailVerified: null },
  ...more,
})

const startBoth = (start: Start, options?: BothOptions): Promise<MailSite> =>
  startMailAndProvider({ start, op }, options)

const listEvents = ({ events }: MailSite) => events.map(({ name }) => name).filter((name) => name !== "session")

describeServers("A user who signs in by email link", (start) => {
  it.each(STRATEGIES)("is created by the first link and recognised by the next one (%s)", async (strategy) => {
    const site = await startMailSite(start, { config: { session: { strategy } } })
    const browser = site.browser()
    await signInByMail(site, browser, ADA)
    expect(listEvents(site)).toEqual(["createUser", "signIn"])
    const [user] = site.store.users.values()
    expect(user).toEqual({ id: "user-1", email: ADA, emailVerified: new Date(site.time.now) })
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    site.forget()
    site.time.now += 60_000
    await signInByMail(site, site.browser(), ADA)
    expect(listEvents(site)).toEqual(["updateUser", "signIn"])
    expect([...site.store.users.values()]).toEqual([{ ...user, emailVerified: new Date(site.time.now) }])
    // A sign-in link creates no row in the accounts table.
    expect(site.store.accounts).toEqual([])
  })

  it.each(STRATEGIES)(
    "EML-20: replaces another user's session and is not merged with that user (%s)",
    async (strategy) => {
      const site = await startMailSite(start, { config: { session: { strategy } } })
      const browser = site.browser()
      await signInByMail(site, browser, "bob@example.com")
      const before = browser.clone()
      const old = browser.cookie(COOKIE)
      for (const address of [ADA, "bob@example.com", ADA]) {
        await signInByMail(site, browser, address)
        expect(await sessionOf(browser)).toMatchObject({ user: { email: address } })
      }
      expect(browser.cookie(COOKIE)).not.toBe(old)
      expect([...site.store.users.values()].map(({ email }) => email)).toEqual(["bob@example.com", ADA])
      if (strategy === "jwt") return
      expect(site.store.sessions.size).toBe(1)
      expect(await sessionOf(before)).toBeNull()
    },
  )

  it("ADV-17: gets a new session at every sign-in, and a planted session ends", async () => {
    const site = await startMailSite(start, { config: { session: { strategy: "database" } } })
    const browser = site.browser()
    await signInByMail(site, browser, ADA)
    const first = browser.clone()
    await signInByMail(site, browser, ADA)
    expect(browser.cookie(COOKIE)).not.toBe(first.cookie(COOKIE))
    expect([await sessionOf(first), site.store.sessions.size]).toEqual([null, 1])
    const victim = site.browser()
    const attacker = site.browser()
    await signInByMail(site, attacker, "eve@example.com")
    victim.setCookie(COOKIE, attacker.cookie(COOKIE) ?? "")
    await signInByMail(site, victim, ADA)
    expect(victim.cookie(COOKIE)).not.toBe(attacker.cookie(COOKIE))
    expect([await sessionOf(attacker), (await sessionOf(victim))?.user?.["email"]]).toEqual([null, ADA])
  })
})

describeServer("A user who signs in by email link", "Auth()", (start) => {
  /** Records the calls of adapter methods, callbacks and events, in order. */
  async function recordCalls(strategy: "jwt" | "database", users: AdapterUser[], more: Partial<AuthConfig> = {}) {
    const calls: { name: string; args: unknown }[] = []
    const recorded = <T extends object>(functions: T, prefix: string): T =>
      Object.fromEntries(
        Object.entries(functions).map(([name, run]) => [
          name,
          (...args: unknown[]) => {
            calls.push({ name: `${prefix}${name}`, args: args.length === 1 ? args[0] : args })
            return run(...args)
          },
        ]),
      ) as T
    const nothing = () => undefined
    const site = await startMailSite(start, {
      isPlain: true,
      over: (adapter) => recorded(adapter, "adapter."),
      config: {
        session: { strategy },
        callbacks: recorded(
          {
            signIn: () => true,
            redirect: ({ url, baseUrl }: { url: string; baseUrl: string }) =>
              url.startsWith("/") ? baseUrl + url : baseUrl,
            jwt: ({ token }: { token: object }) => token,
          },
          "",
        ) as AuthConfig["callbacks"] & object,
        events: recorded(
          { signIn: nothing, createUser: nothing, updateUser: nothing, linkAccount: nothing, session: nothing },
          "event.",
        ),
        ...more,
      },
    })
    for (const user of users) site.store.users.set(user.id, user)
    const browser = site.browser()
    await askForLink(browser, ADA, { callbackUrl: "/cart" })
    const atRequest = calls.splice(0)
    const page = await browser.get(site.mail.linkTo(ADA))
    return { site, browser, atRequest, atLink: calls, page }
  }
  const listNames = (calls: { name: string }[]) => calls.map(({ name }) => name)
  const listArgs = (calls: { name: string; args: unknown }[], name: string) =>
    calls.filter((call) => call.name === name).map(({ args }) => args)

  it.each(STRATEGIES)(
    "calls adapter, callbacks and events in the order of Auth.js for a new user (%s)",
    async (strategy) => {
      const { atRequest, atLink, site } = await recordCalls(strategy, [])
      expect(listNames(atRequest)).toEqual([
        "redirect",
        "adapter.getUserByEmail",
        "signIn",
        "adapter.createVerificationToken",
      ])
      expect(listNames(atLink)).toEqual([
        ...["redirect", "adapter.useVerificationToken", "adapter.getUserByEmail", "signIn"],
        ...["adapter.createUser", "event.createUser"],
        ...[strategy === "jwt" ? "jwt" : "adapter.createSession", "event.signIn"],
      ])
      const email = { email: ADA, emailVerified: null }
      const id = expect.stringMatching(/^[\da-f-]{36}$/)
      const [first] = listArgs(atRequest, "signIn") as { user: { id: string } }[]
      const account = { providerAccountId: ADA, type: "email", provider: "mail" }
      const params = { user: { id, ...email }, account: { ...account, userId: first?.user.id } }
      expect(first).toEqual({ ...params, email: { verificationRequest: true } })
      const [second] = listArgs(atLink, "signIn") as { user: { id: string } }[]
      expect(second).toEqual({ user: { id, ...email }, account: { ...account, userId: second?.user.id } })
      expect(listArgs(atLink, "adapter.createUser")).toEqual([
        { id: second?.user.id, email: ADA, emailVerified: new Date(site.time.now) },
      ])
      const user = { id: "user-1", email: ADA, emailVerified: new Date(site.time.now) }
      const message = { user, account: { ...account, userId: "user-1" }, isNewUser: true }
      expect(listArgs(atLink, "event.createUser")).toEqual([{ user }])
      expect(listArgs(atLink, "event.signIn")).toEqual([message])
      if (strategy === "jwt")
        expect(listArgs(atLink, "jwt")).toEqual([
          { ...message, token: { name: undefined, email: ADA, picture: undefined, sub: "user-1" }, trigger: "signUp" },
        ])
    },
  )

  it.each(STRATEGIES)(
    "calls adapter, callbacks and events in the order of Auth.js for an existing user (%s)",
    async (strategy) => {
      const { atRequest, atLink, site } = await recordCalls(strategy, [existingUser({ id: "user-0" })])
      expect(listNames(atRequest)).toEqual([
        "redirect",
        "adapter.getUserByEmail",
        "signIn",
        "adapter.createVerificationToken",
      ])
      expect(listNames(atLink)).toEqual([
        ...["redirect", "adapter.useVerificationToken", "adapter.getUserByEmail", "signIn"],
        // The first verification reads the user twice more: once to unlink accounts, once to store the verification.
        ...["adapter.getUserByEmail", "adapter.getUserByEmail", "adapter.updateUser", "event.updateUser"],
        ...[strategy === "jwt" ? "jwt" : "adapter.createSession", "event.signIn"],
      ])
      const account = { providerAccountId: ADA, type: "email", provider: "mail", userId: "user-0" }
      expect(listArgs(atRequest, "signIn")).toEqual([
        { user: existingUser(), account, email: { verificationRequest: true } },
      ])
      expect(listArgs(atLink, "signIn")).toEqual([{ user: existingUser(), account }])
      const user = existingUser({ emailVerified: new Date(site.time.now) })
      expect(listArgs(atLink, "adapter.updateUser")).toEqual([
        // The first verification is stored together with its address.
        { id: "user-0", email: ADA, emailVerified: user.emailVerified },
      ])
      expect(listArgs(atLink, "event.updateUser")).toEqual([{ user }])
      expect(listArgs(atLink, "event.signIn")).toEqual([{ user, account, isNewUser: false }])
      if (strategy === "jwt")
        expect(listArgs(atLink, "jwt")).toEqual([
          expect.objectContaining({
            user,
            account,
            isNewUser: false,
            trigger: "signIn",
            token: expect.objectContaining({ sub: "user-0" }),
          }),
        ])
    },
  )

  it.each(STRATEGIES)(
    "is redirected to pages.newUser once, with the return URL as callbackUrl (%s)",
    async (strategy) => {
      const site = await startMailSite(start, { config: { session: { strategy }, pages: { newUser: "/welcome?a=1" } } })
      const browser = site.browser()
      await askForLink(browser, ADA, { callbackUrl: "/cart" })
      const first = await browser.get(site.mail.linkTo(ADA))
      expect(first.location).toBe("http://app.test/welcome?a=1&callbackUrl=http%3A%2F%2Fapp.test%2Fcart")
      await askForLink(browser, ADA, { callbackUrl: "/cart" })
      expect((await browser.get(site.mail.linkTo(ADA))).location).toBe("http://app.test/cart")
    },
  )

  it("gets no session if the jwt callback returns null, and the signIn event is still called", async () => {
    const site = await startMailSite(start, {
      config: { session: { strategy: "jwt" }, callbacks: { jwt: () => null } },
    })
    const browser = site.browser()
    expect((await signInByMail(site, browser, ADA)).location).toBe("http://app.test/")
    expect([sessionCookies(browser), listEvents(site)]).toEqual([[], ["createUser", "signIn"]])
  })

  describe("if callbacks.signIn refuses", () => {
    const isRequest = (params: { email?: unknown }) => params.email !== undefined
    type SignIn = NonNullable<NonNullable<AuthConfig["callbacks"]>["signIn"]>

    it.each<[string, SignIn, "warn" | "error"]>([
      ["returns false", () => false, "warn"],
      [
        "throws",
        () => {
          throw new Error("not today")
        },
        "error",
      ],
      ["rejects", () => Promise.reject(new Error("not today")), "error"],
      [
        "throws an AccessDenied",
        () => {
          throw new AccessDenied("not today")
        },
        "warn",
      ],
    ])(
      "gets no email and the usual response, and the refusal is logged, if signIn %s at the request",
      async (_name, refuse, level) => {
        const site = await startMailSite(start, {
          config: { callbacks: { signIn: (params) => !isRequest(params) || refuse(params) } },
        })
        const browser = site.browser()
        const page = await askForLink(browser, ADA)
        expect(page.location).toBe("http://app.test/auth/verify-request?provider=mail&type=email")
        expect([site.mail.sent, site.store.links, sessionCookies(browser)]).toEqual([[], [], []])
        expect(site.failures()).toMatchObject([{ level, code: "AccessDenied" }])
      },
    )

    it.each<[string, SignIn]>([
      ["returns false", () => false],
      [
        "throws",
        () => {
          throw new Error("not today")
        },
      ],
      [
        "throws an AccessDenied",
        () => {
          throw new AccessDenied("not today")
        },
      ],
    ])("is not created if signIn %s when the link is opened", async (_name, refuse) => {
      const site = await startMailSite(start, {
        config: { callbacks: { signIn: (params) => isRequest(params) || refuse(params) } },
      })
      const browser = site.browser()
      await signInByMail(site, browser, "bob@example.com")
      const page = await signInByMail(site, browser, ADA)
      expect(page.location).toBe("http://app.test/auth/error?error=AccessDenied")
      expect([site.store.users.size, sessionCookies(browser), listEvents(site)]).toEqual([0, [], []])
      expect(site.failures().map(({ code }) => code)).toEqual(["AccessDenied", "AccessDenied"])
    })

    it("keeps an existing session if signIn refuses when the link is opened", async () => {
      let isOpen = true
      const site = await startMailSite(start, {
        config: { callbacks: { signIn: (params) => isRequest(params) || isOpen } },
      })
      const browser = site.browser()
      await signInByMail(site, browser, "bob@example.com")
      isOpen = false
      await signInByMail(site, browser, ADA)
      expect(await sessionOf(browser)).toMatchObject({ user: { email: "bob@example.com" } })
    })

    it("sees the error page of the AuthError that signIn throws", async () => {
      const site = await startMailSite(start, {
        config: {
          callbacks: {
            signIn: () => {
              throw Object.assign(new AuthError("x"), { type: "Verification" })
            },
          },
        },
      })
      expect(errorOf(await askForLink(site.browser(), ADA))).toBe("Verification")
    })

    it.each([
      ["/wrong", "http://app.test/wrong"],
      ["https://help.example.net/", "http://app.test/"],
    ])(
      "is redirected when signIn returns %s, at the request and when the link is opened",
      async (returned, location) => {
        let at = "request"
        const site = await startMailSite(start, {
          config: { callbacks: { signIn: (params) => (isRequest(params) === (at === "request") ? returned : true) } },
        })
        const browser = site.browser()
        expect((await askForLink(browser, ADA)).location).toBe(location)
        expect([site.mail.sent, site.store.links, browser.cookie("authjs.state.mail")]).toEqual([[], [], undefined])
        at = "link"
        expect((await signInByMail(site, browser, ADA)).location).toBe(location)
        expect([site.store.users.size, sessionCookies(browser), listEvents(site)]).toEqual([0, [], []])
      },
    )

    it("gets a configuration error if signIn returns a javascript: URL", async () => {
      const site = await startMailSite(start, {
        config: { callbacks: { signIn: () => "javascript:alert(1)", redirect: ({ url }) => url } },
      })
      expect(errorOf(await askForLink(site.browser(), ADA))).toBe("Configuration")
    })
  })

  it.each([
    ["Ada@Example.COM", "ada@example.com"],
    ["ada@bücher.example", "ada@bücher.example"],
    ["Ada@Bücher.Example", "ada@xn--bcher-kva.example"],
    ["ada@xn--bcher-kva.example", "ada@BÜCHER.example"],
  ])("ACC-07: is one user with %s from a provider and %s in the form, in either order", async (fromProvider, typed) => {
    for (const order of ["provider first", "link first"]) {
      const site = await startBoth(start)
      op.set({ user: { sub: "ada", name: "Ada", email: fromProvider } })
      const steps = [
        async () => {
          const browser = site.browser()
          await signIn(browser, op)
          return browser
        },
        async () => {
          const browser = site.browser()
          await askForLink(browser, typed)
          await browser.get(site.mail.sent.at(-1)?.url ?? "")
          expect(await sessionOf(browser)).not.toBeNull()
          return browser
        },
      ]
      for (const step of order === "link first" ? steps.reverse() : steps) await step()
      expect([order, site.store.users.size]).toEqual([order, 1])
    }
  })

  it("ADV-23: is linked to a provider account with a verified address only with allowDangerousEmailAccountLinking", async () => {
    for (const [allowDangerousEmailAccountLinking, expected] of [
      [false, ["OAuthAccountNotLinked", 0]],
      [true, ["", 1]],
    ] as const) {
      const site = await startBoth(start, { oidc: { allowDangerousEmailAccountLinking } })
      await signInByMail(site, site.browser(), "alice@example.com")
      op.set({ claims: (claims) => ({ ...claims, email: "alice@example.com", email_verified: true }) })
      const page = await signIn(site.browser(), op)
      expect([errorOf(page), site.store.accounts.length]).toEqual(expected)
      expect(site.store.users.size).toBe(1)
    }
  })
})
