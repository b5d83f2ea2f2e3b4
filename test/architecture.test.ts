import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import ts from "typescript"

const ROOT = resolve(__dirname, "..")
const LIB = join(ROOT, "lib")

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))

/** A source file with its imports and re-exports. */
interface Source {
  readonly path: string
  readonly text: string
  readonly tree: ts.SourceFile
  /** All imported modules, also those of types: paths of this repository, or package names. */
  readonly imports: readonly string[]
  /** The modules that are loaded at run time. */
  readonly loads: readonly string[]
}

function isOfTypes(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly
  const clause = node.importClause
  if (!clause) return false
  if (clause.isTypeOnly) return true
  const named = clause.namedBindings
  // `import { type A }` loads nothing either; a default import or a namespace import does.
  if (clause.name || !named || !ts.isNamedImports(named)) return false
  return named.elements.length > 0 && named.elements.every((element) => element.isTypeOnly)
}

function read(path: string): Source {
  const text = readFileSync(join(ROOT, path), "utf8")
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found = tree.statements.flatMap((node) => {
    if (!(ts.isImportDeclaration(node) || ts.isExportDeclaration(node))) return []
    if (!node.moduleSpecifier || !ts.isStringLiteral(node.moduleSpecifier)) return []
    const name = node.moduleSpecifier.text
    const target = name.startsWith(".") ? join(dirname(path), name).replace(/\.js$/, ".ts") : name
    return [{ target, isOfTypes: isOfTypes(node) }]
  })
  const loads = found.filter((imported) => !imported.isOfTypes).map(({ target }) => target)
  return { path, text, tree, imports: found.map(({ target }) => target), loads }
}

const SOURCES = filesIn(LIB)
  .filter((path) => path.endsWith(".ts"))
  .sort()
  .map(read)

/** Interfaces of a folder on which lower layers depend too. */
const INTERFACES = /^lib\/(adapters\/adapter|config\/(auth|resolved)-config|sessions\/session)\.ts$/

/** The layer of each path; the first match applies. */
const LAYERS: readonly [RegExp, number][] = [
  [INTERFACES, 1],
  [/^lib\/(base|cache|errors|logging)\//, 0],
  [/^lib\/(errors|symbols|package-copy)\.ts$/, 0],
  [/^lib\/(security|http|store|provider-kit|second-factor)\//, 1],
  [/^lib\/jwt\.ts$/, 2],
  [/^lib\/(sessions|accounts|tokens|pages|providers|adapters)\//, 2],
  [/^lib\/methods\//, 3],
  [/^lib\/actions\//, 4],
  [/^lib\/(config|runtime)\//, 5],
  [/^lib\/(auth|change-email|disconnect-account|manage-sessions|provider-access|reset-second-factor)\.ts$/, 6],
  [/^lib\/(express\/|(get-session|handlers|index|requirements|testing|types|watch-session)\.ts|testing\/|cli\/)/, 7],
  // Runs in browsers: no server module may load it.
  [/^lib\/browser\//, 8],
]
const layerOf = (path: string): number | undefined => LAYERS.find(([pattern]) => pattern.test(path))?.[1]

const ours = ({ imports }: Source) => imports.filter((name) => name.startsWith("lib/"))

describe("the layers of lib/", () => {
  it("include every file", () => {
    expect(SOURCES.map(({ path }) => path).filter((path) => layerOf(path) === undefined)).toEqual([])
  })

  it("have only downward imports, of types too", () => {
    const upward = SOURCES.flatMap((source) =>
      ours(source)
        .filter((name) => (layerOf(name) ?? 0) > (layerOf(source.path) ?? 0))
        .map((name) => `${source.path} → ${name}`),
    )
    expect(upward).toEqual([])
  })

  it("have no imports between folders of layer 2", () => {
    const folder = (path: string) => path.split("/")[1]
    const across = SOURCES.filter(({ path }) => layerOf(path) === 2 && folder(path) !== "jwt.ts").flatMap((source) =>
      ours(source)
        .filter((name) => layerOf(name) === 2 && folder(name) !== folder(source.path))
        .map((name) => `${source.path} → ${name}`),
    )
    expect(across).toEqual([])
  })

  const methodOf = (path: string) => /^lib\/methods\/([^/]+)\//.exec(path)?.[1]

  it("have no imports between methods", () => {
    const isOther = (from: string, to: string) => ![undefined, "shared", methodOf(from)].includes(methodOf(to))
    const across = SOURCES.filter(({ path }) => methodOf(path)).flatMap((source) =>
      ours(source)
        .filter((name) => isOther(source.path, name))
        .map((name) => `${source.path} → ${name}`),
    )
    expect(across).toEqual([])
  })

  it("have in methods/shared/ only what at least two methods import", () => {
    const shared = SOURCES.map(({ path }) => path).filter((path) => methodOf(path) === "shared")
    const countMethods = (path: string) => {
      const importers = SOURCES.filter((source) => ours(source).includes(path)).map((source) => methodOf(source.path))
      return new Set(importers.filter((name) => name !== undefined)).size
    }
    expect(shared).not.toEqual([])
    expect(shared.filter((path) => countMethods(path) < 2)).toEqual([])
  })

  it("have no imports between browser and server code", () => {
    const isOutside = (name: string) => !name.startsWith("lib/browser/") && name !== "@simplewebauthn/browser"
    const loads = SOURCES.filter(({ path }) => path.startsWith("lib/browser/")).flatMap((source) => source.loads)
    expect(loads).toContain("@simplewebauthn/browser")
    expect(loads.filter(isOutside)).toEqual([])
  })

  it("import only existing files", () => {
    const known = new Set(SOURCES.map(({ path }) => path))
    expect(SOURCES.flatMap(ours).filter((name) => !known.has(name))).toEqual([])
  })

  it("have no import cycles, of types too", () => {
    const byPath = new Map(SOURCES.map((source) => [source.path, ours(source)]))
    const done = new Set<string>()
    const cycles: string[] = []
    const visit = (path: string, way: readonly string[]): void => {
      if (way.includes(path)) cycles.push([...way.slice(way.indexOf(path)), path].join(" → "))
      if (done.has(path) || way.includes(path)) return
      for (const next of byPath.get(path) ?? []) visit(next, [...way, path])
      done.add(path)
    }
    for (const path of byPath.keys()) visit(path, [])
    expect(cycles).toEqual([])
  })
})

describe("CONTRIBUTING.md", () => {
  const page = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8")
  /** The folder or file directly in lib/ that contains a path: `http/`, `auth.ts`; or an interface of a folder. */
  const placeOf = (path: string) => (INTERFACES.test(path) ? path.slice(4) : path.replace(/^lib\/([^/]+\/?).*$/, "$1"))
  const places = [...new Set(SOURCES.map(({ path }) => placeOf(path)))].sort()

  it("lists the layers of this test", () => {
    const layersOf = (place: string) =>
      SOURCES.filter(({ path }) => placeOf(path) === place).map(({ path }) => layerOf(path))
    const expected = places.map((place) => [place, [...new Set(layersOf(place))]])
    const documented = [...page.matchAll(/^\| (\d) \| (.+) \|$/gm)].flatMap(({ 1: layer, 2: modules = "" }) =>
      [...modules.matchAll(/`([^`]+)`/g)].map(({ 1: name = "" }) => [
        /[./]/.test(name) ? name : `${name}.ts`,
        [Number(layer)],
      ]),
    )
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(expected))
    // No duplicates.
    expect(documented).toHaveLength(expected.length)
  })

  it("has exactly the files and folders of lib/ in its overview", () => {
    const [, map = ""] = /^lib\/\n((?: {2}.*\n)+)/m.exec(page) ?? []
    const named = map
      .split("\n")
      .flatMap((line) => /^ {2}((?:[\w-]+(?:\.ts|\/)(?: +|$))+)/.exec(line)?.[1]?.trim().split(/ +/) ?? [])
    expect(named.sort()).toEqual(places.filter((place) => !/\/./.test(place)))
  })
})

describe("the files of lib/", () => {
  it("are not barrels, except entry points and tables", () => {
    const allowed = ["lib/index.ts", "lib/methods/index.ts", "lib/actions/index.ts"]
    const barrels = SOURCES.filter(({ path, tree }) => {
      const { statements } = tree
      const code = statements.filter((node) => !ts.isImportDeclaration(node))
      return code.length > 1 && code.every(ts.isExportDeclaration) && !allowed.includes(path)
    })
    // Entry points of the package only list their exports.
    expect(barrels.map(({ path }) => path).filter((path) => !/^lib\/[a-z-]+\.ts$/.test(path))).toEqual([])
  })

  it("have no mutable variable at the top level", () => {
    const loose = SOURCES.filter(({ tree }) =>
      tree.statements.some(
        (node) => ts.isVariableStatement(node) && !(node.declarationList.flags & ts.NodeFlags.Const),
      ),
    )
    expect(loose.map(({ path }) => path)).toEqual([])
  })

  it("have no `any`, `!` or @ts- comment without a reason", () => {
    const found = SOURCES.flatMap(({ path, text, tree }) => {
      const lines = text.split("\n")
      const at: string[] = []
      const hasReason = (line: number) => /biome-ignore [\w/]+: \S/.test(lines[line - 1] ?? "")
      const look = (node: ts.Node): void => {
        const line = tree.getLineAndCharacterOfPosition(node.getStart()).line
        if (node.kind === ts.SyntaxKind.AnyKeyword && !hasReason(line)) at.push(`${path}:${line + 1} any`)
        if (ts.isNonNullExpression(node)) at.push(`${path}:${line + 1} !`)
        ts.forEachChild(node, look)
      }
      look(tree)
      const comments = lines.flatMap((line, i) =>
        /@ts-(ignore|nocheck|expect-error)/.test(line) ? [`${path}:${i + 1}`] : [],
      )
      return [...at, ...comments]
    })
    expect(found).toEqual([])
  })

  it("import only declared dependencies", () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
    // The packages of the browser script and of the command's prompts are bundled.
    const isBundled = (path: string) => path.startsWith("lib/browser/") || path === "lib/cli/init/ask.ts"
    const onServer = SOURCES.filter(({ path }) => !isBundled(path))
    const names = onServer
      .flatMap(({ loads }) => loads)
      .filter((name) => !name.startsWith("lib/") && !name.startsWith("node:"))
    const packages = new Set(
      names.map((name) =>
        name
          .split("/")
          .slice(0, name.startsWith("@") ? 2 : 1)
          .join("/"),
      ),
    )
    expect([...packages].filter((name) => !(name in dependencies))).toEqual([])
  })

  it("compare the type of a provider or an account only in methods/", () => {
    const types = new Set(["oauth", "oidc", "email", "credentials", "webauthn"])
    const isType = (node: ts.Node) => /(?:^|\W)type$/.test(node.getText())
    const isTypeName = (node: ts.Node) => ts.isStringLiteralLike(node) && types.has(node.text)
    const found = SOURCES.filter(({ path }) => !/^lib\/methods\//.test(path)).flatMap(({ path, tree }) => {
      const at: string[] = []
      const look = (node: ts.Node): void => {
        const sides = ts.isBinaryExpression(node) ? [node.left, node.right] : []
        const compared = ts.isSwitchStatement(node) ? [node.expression] : sides
        const names = ts.isSwitchStatement(node)
          ? node.caseBlock.clauses.flatMap((clause) => clause.getChildren())
          : sides
        if (compared.some(isType) && names.some(isTypeName)) at.push(`${path}: ${node.getText().slice(0, 60)}`)
        ts.forEachChild(node, look)
      }
      look(tree)
      return at
    })
    expect(found).toEqual([])
  })

  it("name vendors only in their own files", () => {
    const vendors = /\b(github|google|gitlab|discord|auth0|okta|keycloak|entra|apple|facebook)\b/i
    // Error texts may name one as an example.
    const engine = SOURCES.filter(({ path }) => !/^lib\/(providers|provider-kit)\//.test(path))
    const found = engine.filter(({ tree }) => {
      let isNamed = false
      const look = (node: ts.Node): void => {
        if (ts.isIdentifier(node) || ts.isStringLiteralLike(node))
          isNamed ||= vendors.test(node.text) && !/Write|e\.g\./.test(node.text)
        ts.forEachChild(node, look)
      }
      look(tree)
      return isNamed
    })
    expect(found.map(({ path }) => path)).toEqual([])
  })
})

describe("the views", () => {
  const views = filesIn(join(ROOT, "views"))
    .filter((path) => path.endsWith(".ejs"))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }))

  it("exist", () => {
    expect(views.length).toBeGreaterThan(4)
  })

  it("escape all output except includes", () => {
    const raw = views.flatMap(({ path, text }) =>
      [...text.matchAll(/<%-([\s\S]*?)%>/g)]
        .map(([, code = ""]) => code.trim())
        .filter((code) => !/^include\(/.test(code))
        .map((code) => `${path}: ${code}`),
    )
    expect(raw).toEqual([])
  })

  it("have no inline scripts, handlers or styles, except that emails have inline styles", () => {
    const forbidden = (path: string) =>
      path.startsWith("views/mail/")
        ? /<script|<style|\son[a-z]+\s*=/i
        : /<script(?! type="module" src="" integrity="" nonce=""><\/script>)|<style|\son[a-z]+\s*=|\sstyle\s*=/i
    const loose = views.filter(({ path, text }) => forbidden(path).test(text.replace(/<%[\s\S]*?%>/g, "")))
    expect(loose.map(({ path }) => path)).toEqual([])
  })
})
