/** The lists of providers as the pages of `docs/` show them. */

const TYPES = {
  oidc: "OpenID Connect",
  oauth: "OAuth 2",
  email: "link by e-mail",
  credentials: "your own function",
  webauthn: "passkey",
}

/** The anchor that GitHub makes of a heading. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replace(/ /g, "-")

const variablesOf = ({ environment }) => [...environment.matchAll(/`(AUTH_\w+)`/g)].map(({ 1: name }) => `\`${name}\``)

/** Providers of e-mail links have a page of their own. */
const linkOf = ({ name, type }) => (type === "email" ? "email-providers.md" : `#${anchorOf(name)}`)

const row = (provider) =>
  `| [${provider.name}](${linkOf(provider)}) | \`${provider.file}\` | ${TYPES[provider.type]} | ${variablesOf(provider).join(", ")} | ${provider.scope && `\`${provider.scope}\``} |`

/** Addresses are links, but for those in code; where to click there follows them. */
const linked = (text) =>
  text.replace(/`[^`]*`|(?<![<(])https?:\/\/[^\s,)`]+/g, (found) => (found.startsWith("`") ? found : `<${found}>`))

function section(provider) {
  const { name, sentence, environment, redirectPath, console: address, scope, notes, example } = provider
  const facts = [
    environment && `- Environment: ${environment}.`,
    redirectPath && `- Redirect URI: \`https://example.com/auth${redirectPath}\``,
    address && `- Console: ${linked(address)}`,
    scope && `- Scopes: \`${scope}\``,
    ...notes.map((note) => `- ${linked(note)}`),
  ].filter(Boolean)
  return [`### ${name}`, sentence, `\`\`\`js\n${example}\n\`\`\``, facts.join("\n")].filter(Boolean).join("\n\n")
}

/** For `docs/providers.md`: a table, and a section for each. */
export function catalogueList(catalogue) {
  const header = "| Provider | `latchkey/providers/` | Type | Variables | Scopes |\n|---|---|---|---|---|"
  const table = `${header}\n${catalogue.map(row).join("\n")}`
  return `${table}\n\n${catalogue
    .filter(({ type }) => type !== "email")
    .map(section)
    .join("\n\n")}\n`
}

/** For `docs/differences.md`. */
export const differencesList = (differences) =>
  `| Provider | What | Here |\n|---|---|---|\n${differences.map(({ name, fact, why }) => `| ${name} | \`${fact}\` | ${why} |\n`).join("")}`
