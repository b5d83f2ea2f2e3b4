import { decodeEntities } from "../../support/html.js"

const TAG = /<(\/?[a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^>"'])*)>/gi
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g

export interface Tag {
  /** In lower case; a closing tag has its slash. */
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: string])[]
}

/** The tags of a page, parsed like a browser. */
export const tagsOf = (html: string): Tag[] =>
  [...html.matchAll(TAG)].map(([, name = "", rest = ""]) => ({
    name: name.toLowerCase(),
    attributes: [...rest.matchAll(ATTRIBUTE)].map(
      ([, key = "", ...values]) => [key.toLowerCase(), decodeEntities(values.find(Boolean) ?? "")] as const,
    ),
  }))

/** The elements of a page with their attribute names, without text. */
export const structureOf = (html: string): string[] =>
  tagsOf(html).map(({ name, attributes }) => [name, ...attributes.map(([key]) => key)].join(" "))
