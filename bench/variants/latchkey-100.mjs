import { readdirSync } from "node:fs"
import { start } from "./latchkey.mjs"

const FOLDER = new URL("../../dist/providers/", import.meta.url)
const OPTIONS = { clientId: "id", clientSecret: "secret", issuer: "https://issuer.example.com", accountID: "1234567" }

/** Ninety-nine providers of the catalogue, the same ones again under other ids when there are fewer. */
async function ninetyNine() {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".js"))
  const factories = await Promise.all(files.map(async (file) => (await import(new URL(file, FOLDER))).default))
  const built = factories.map((factory) => factory({ ...OPTIONS, server: "smtp://localhost" }))
  const vendors = built.filter(
    ({ type, issuer, authorization }) => type === "oidc" || (type === "oauth" && (issuer || authorization)),
  )
  return Array.from({ length: 99 }, (_, index) => ({ ...vendors[index % vendors.length], id: `vendor-${index}` }))
}

start(await ninetyNine())
