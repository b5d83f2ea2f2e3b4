import { readdirSync } from "node:fs"

const FOLDER = new URL("../../dist/providers/", import.meta.url)
const OPTIONS = { clientId: "id", clientSecret: "secret", issuer: "https://issuer.example.com", accountID: "1234567" }

/** This many OAuth providers of the catalogue, repeated under other ids if there are fewer. */
export async function vendors(count) {
  if (count === 0) return []
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".js"))
  const factories = await Promise.all(files.map(async (file) => (await import(new URL(file, FOLDER))).default))
  const built = factories.map((factory) => factory({ ...OPTIONS, server: "smtp://localhost" }))
  const usable = built.filter(
    ({ type, issuer, authorization }) => type === "oidc" || (type === "oauth" && (issuer || authorization)),
  )
  return Array.from({ length: count }, (_, index) => ({ ...usable[index % usable.length], id: `vendor-${index}` }))
}
