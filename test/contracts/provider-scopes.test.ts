/** Scopes in authorization requests are joined by spaces (RFC 6749 §3.3), unless the vendor documents another separator. */
import { parseScopes } from "../../lib/tokens/token-state.js"
import { loadFactory, PROVIDER_FILES } from "./support/factories.js"

/** The vendors that document commas. */
const COMMAS = ["adobe", "concept2", "linear", "strava", "tiktok", "todoist"]

describe.each(PROVIDER_FILES)("the scopes of %s", (file) => {
  it("are separated as its vendor documents", async () => {
    const provider = (await loadFactory(file))({ issuer: "https://op.test", server: "smtp://127.0.0.1" })
    const separator: unknown = Reflect.get(provider, "scopeSeparator")
    expect(separator).toBe(COMMAS.includes(file) ? "," : undefined)
    const scope = Object(Reflect.get(provider, "authorization")).params?.scope ?? ""
    expect(parseScopes(scope).join(COMMAS.includes(file) ? "," : " ")).toBe(scope)
  })
})
