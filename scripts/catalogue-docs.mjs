/** Generates the lists of providers in `docs/`. */

const TYPES = {
  oidc: "OpenID Connect",
  oauth: "OAuth 2",
  email: "Email links",
  credentials: "Your own function",
  webauthn: "Passkeys",
}

/** The scope of most OpenID Connect providers, which the page states once. */
const OIDC_SCOPE = "openid profile email"

/** The anchor that GitHub creates for a heading. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replace(/ /g, "-")

/** Providers of email links have a separate page. */
const linkOf = ({ name, type }) => `[${name}](${type === "email" ? "email-providers.md" : `#${anchorOf(name)}`})`

/** Converts addresses to links, except in code. Instructions for the console follow the address. */
const linked = (text) =>
  text.replace(/`[^`]*`|(?<![<(])https?:\/\/[^\s,)`]+/g, (found) => (found.startsWith("`") ? found : `<${found}>`))

/** The module, unless the example has it, and what the sentence adds to the heading. */
function opening(provider) {
  const { name, file, sentence } = provider
  const about = sentence.replace(/^Sign-in with /, "")
  const hasAbout = about.toLowerCase() !== `${name.toLowerCase()}.`
  const example = exampleOf(provider)
  if (example) return `${hasAbout ? `${about[0].toUpperCase()}${about.slice(1)}\n\n` : ""}\`\`\`js\n${example}\n\`\`\``
  return `\`latchkey/providers/${file}\`${hasAbout ? `, for ${about}` : ""}`
}

/** The example, unless it has only the import and options that come from variables. */
function exampleOf({ factory, file, example }) {
  const [start] = example.split("\n")
  const isPlain = /^app\.use\(authMiddleware\(\{ providers: \[\w+(?:\(\{ issuer: process\.env\.\w+ \}\))?\] \}\)\)$/
  const isShort = start === `import ${factory} from "latchkey/providers/${file}"`
  return isShort && isPlain.test(example.slice(start.length + 1)) ? undefined : example
}

/** The variables, except the usual id and secret. */
function variablesOf({ file, environment }) {
  const prefix = `AUTH_${file.toUpperCase().replaceAll("-", "_")}`
  const usual = `\`${prefix}_ID\`, \`${prefix}_SECRET\``
  if (!environment.startsWith(`${usual},`)) return environment !== usual && environment
  return `also ${environment
    .slice(usual.length + 1)
    .replace(/^ and/, "")
    .trim()}`
}

function section(provider) {
  const { name, id, file, type, redirectPath, console: address, scope, notes } = provider
  const variables = variablesOf(provider)
  const facts = [
    variables && `- Environment: ${variables}.`,
    redirectPath && id !== file && `- Redirect URI: \`https://example.com/auth${redirectPath}\``,
    address && `- Console: ${linked(address)}`,
    scope && !(type === "oidc" && scope === OIDC_SCOPE) && `- Scopes: \`${scope}\``,
    ...notes.map((note) => `- ${linked(note)}`),
  ].filter(Boolean)
  return [`### ${name}`, opening(provider), facts.join("\n")].filter(Boolean).join("\n\n")
}

/** For `docs/providers.md`: links by type, and a section for each provider. */
export function catalogueList(catalogue) {
  const links = Object.entries(TYPES).map(([type, title]) => {
    const names = catalogue.filter((provider) => provider.type === type).map(linkOf)
    return `- **${title}**: ${names.join(", ")}`
  })
  const sections = catalogue.filter(({ type }) => type !== "email").map(section)
  return `${links.join("\n")}\n\n${sections.join("\n\n")}\n`
}

/** Groups values by a key, in the order of their first occurrence. */
function groupBy(list, keyOf) {
  const groups = new Map()
  for (const one of list) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return [...groups.values()]
}

/** The facts that change what an application gets, or asks for. */
const LISTED = ["user", "params", "userinfo", "issuer"]

/** For `docs/differences.md`: one line for the providers and the facts that share a difference. */
export function differencesList(differences) {
  const listed = differences.filter(({ fact }) => LISTED.includes(fact))
  const shared = groupBy(listed, ({ fact, why }) => `${fact} ${why}`).map((group) => ({
    ...group[0],
    names: group.map(({ name }) => name).join(", "),
  }))
  const lines = groupBy(shared, ({ names, why }) => `${names} ${why}`).map((group) => {
    const facts = group.map(({ fact }) => `\`${fact}\``).join(", ")
    return `- **${group[0].names}** ${facts}: ${group[0].why}\n`
  })
  return lines.join("")
}
