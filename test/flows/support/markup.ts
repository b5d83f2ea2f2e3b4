import { decodeEntities } from "../../support/html.js"

const TAG = /<(\/?[a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^>"'])*)>/gi
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g

export interface Tag {
  /** In small letters; of a closing tag with its slash. */
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: string])[]
}

/** The tags of a page as a browser would see them. */
export const tagsOf = (html: string): Tag[] =>
  [...html.matchAll(TAG)].map(([, name = "", rest = ""]) => ({
    name: name.toLowerCase(),
    attributes: [...rest.matchAll(ATTRIBUTE)].map(
      ([, key = "", ...values]) => [key.toLowerCase(), decodeEntities(values.find(Boolean) ?? "")] as const,
    ),
  }))

/** A page without all that is text: elements and the names of their attributes. */
export const structureOf = (html: string): string[] =>
  tagsOf(html).map(({ name, attributes }) => [name, ...attributes.map(([key]) => key)].join(" "))
