import { inputProps } from "../../../lib/pages/inputs.js"
import { createPages } from "../../../lib/pages/render.js"
import { credentials, mail, provider, signIn } from "./samples.js"

/** Ten common providers. */
const TEN = [
  ...["Google", "Apple", "Microsoft Entra ID", "Facebook", "GitHub"],
  ...["Twitter", "LinkedIn", "Discord", "Slack", "GitLab"],
]
const passkey = provider({
  ...{ id: "passkey", name: "Passkey", type: "webauthn", action: "https://www.example.com/auth/callback/passkey" },
  ...{ optionsUrl: "https://www.example.com/auth/webauthn-options/passkey", hasAutofill: true },
  inputs: inputProps("passkey", { email: { label: "Email", type: "email", required: true } }),
})
const MAX_BYTES = 12_000
const MAX_CPU_MS = 0.2

describe("the sign-in page with every method and ten provider icons", () => {
  const pages = createPages({})
  const providers = TEN.map((name) => {
    const id = name.toLowerCase().replaceAll(" ", "-")
    const action = `https://www.example.com/auth/signin/${id}`
    return provider({ id, name, action, initial: name.slice(0, 1), icon: pages.findIconPath(id) })
  })
  const props = signIn({
    ...{
      providers: [mail, credentials, passkey, ...providers],
      csrfToken: "0".repeat(64),
      callbackUrl: "https://www.example.com/orders",
    },
    styles: pages.assetLinks("/auth").styles,
  })
  const write = () => pages.render("signin", props).html

  it("has at most 12 kB of HTML", () => {
    expect(write().match(/<svg/g)?.length).toBeGreaterThan(4)
    expect(Buffer.byteLength(write())).toBeLessThanOrEqual(MAX_BYTES)
  })

  it("has a style sheet of at most 12 kB", () => {
    const name = props.styles.href.replace("/auth/assets/", "")
    expect(Buffer.byteLength(pages.asset(name)?.body ?? "")).toBeLessThanOrEqual(12_000)
  })

  it("is rendered in less than 0.2 ms of processor time", () => {
    const BATCH = 20
    const cost = () => {
      const before = process.cpuUsage()
      for (let i = 0; i < BATCH; i++) write()
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000 / BATCH
    }
    const median = () => Array.from({ length: 41 }, cost).sort((a, b) => a - b)[20] ?? Number.POSITIVE_INFINITY
    for (let i = 0; i < 20; i++) cost()
    // Other work on the machine lengthens the durations, so the best of three attempts counts.
    let least = median()
    for (let attempt = 0; attempt < 2 && least > MAX_CPU_MS; attempt++) least = Math.min(least, median())
    expect(least).toBeLessThanOrEqual(MAX_CPU_MS)
  })
})
