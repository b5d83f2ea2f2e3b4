/**
 * Writes `views/icons/<provider id>.svg`: the icons of the providers, from the set of simple-icons.
 *
 * @example
 * node scripts/icons.mjs
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const PROVIDERS = join(ROOT, "lib/providers")
const ICONS = join(ROOT, "views/icons")

/** Icon names by provider id, if they differ from the id without its dashes. */
export const SLUGS = {
  "42-school": "42",
  battlenet: "battledotnet",
  hydra: "ory",
  kakao: "kakaotalk",
  mailru: "maildotru",
  twitter: "x",
  wikimedia: "wikimediafoundation",
}

/** Providers that show their initial although the set has an icon of that name, with the reason. */
export const LEFT_OUT = {
  coinbase: "a word that is too small to read",
  globus: "the icon is of a chain of shops with that name",
  intuit: "a word that is too small to read",
  zoho: "a word that is too small to read",
}

/** The only part of an icon that is copied, so that nothing else gets into a page. */
const SHAPE = /<path d="([\dMmLlHhVvCcSsQqTtAaZz ,.+e-]+)"\/>/

/** The provider id in a source file, if the provider has a button. Forms show no icon. */
function idsIn(file) {
  const source = readFileSync(join(PROVIDERS, file), "utf8")
  const id = /\b(?:oauth|oidc|issuer)Provider<\w+>\("([\w-]+)"/.exec(source)?.[1]
  return id ? [id] : []
}

const slugOf = (id) => (Object.hasOwn(SLUGS, id) ? SLUGS[id] : id.replaceAll("-", ""))

/** The set is CC0. An icon with its own licence can't be redistributed under ours. */
function freeSlugs(require) {
  const icons = Object.values(require("simple-icons/icons.json"))
  const isFree = ({ license }) => license === undefined || license.type === "CC0-1.0"
  return new Set(icons.filter(isFree).map(({ slug }) => slug))
}

const FRAME = `class="mark" viewBox="0 0 24 24" width="24" height="24" fill="currentColor" aria-hidden="true"`

function draw(slug, require) {
  const path = SHAPE.exec(readFileSync(require.resolve(`simple-icons/icons/${slug}.svg`), "utf8"))?.[1]
  if (path === undefined) throw new Error(`the icon ${slug} does not consist of exactly one path`)
  return `<svg ${FRAME} focusable="false"><path d="${path}"/></svg>\n`
}

function write(path, text) {
  // Skip unchanged files: a concurrent test must not read a file while it is written.
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text)
}

/** Writes changed icons, and deletes those of removed providers. */
export function writeIcons() {
  const require = createRequire(import.meta.url)
  const slugs = freeSlugs(require)
  const ids = readdirSync(PROVIDERS).flatMap(idsIn)
  const found = ids.filter((id) => slugs.has(slugOf(id)) && !Object.hasOwn(LEFT_OUT, id))
  mkdirSync(ICONS, { recursive: true })
  for (const id of found) write(join(ICONS, `${id}.svg`), draw(slugOf(id), require))
  const wanted = new Set(found.map((id) => `${id}.svg`))
  for (const file of readdirSync(ICONS)) if (!wanted.has(file)) rmSync(join(ICONS, file))
}

const [, started] = process.argv
if (started && realpathSync(started) === fileURLToPath(import.meta.url)) writeIcons()
