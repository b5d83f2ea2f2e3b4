/**
 * Converts a sample of the documentation to a module that can run.
 *
 * @module
 */
import ts from "typescript"
import { blocksOf, read } from "./markdown.js"

export interface Sample {
  readonly file: string
  readonly line: number
  readonly language: string
  readonly code: string
}

/** The names that a sample declares or imports. */
function declaredIn(source: ts.SourceFile): Set<string> {
  const names = new Set<string>()
  const add = (name: ts.BindingName) => {
    if (ts.isIdentifier(name)) names.add(name.text)
    else for (const element of name.elements) if (ts.isBindingElement(element)) add(element.name)
  }
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) for (const { name } of statement.declarationList.declarations) add(name)
    if (ts.isFunctionDeclaration(statement) && statement.name) names.add(statement.name.text)
  }
  return names
}

/** The names that a node uses or declares, without those of members. */
function identifiersIn(root: ts.Node): Set<string> {
  const names = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text)
    else if (ts.isPropertyAccessExpression(node)) visit(node.expression)
    else if (ts.isPropertyAssignment(node)) visit(node.initializer)
    else ts.forEachChild(node, visit)
  }
  visit(root)
  return names
}

/** Modules that the sample server replaces, because they need an account, a database or a port. */
const REPLACED = /^(?:express|latchkey\/(?:providers|adapters|testing)(?:\/.*)?|@auth\/prisma-adapter)$/

const PROVIDERS: ReadonlySet<string> = new Set(
  "ForwardEmail GitHub Google Loops Mailgun Nodemailer Passkey Postmark Resend SendGrid".split(" "),
)

/** Wraps a bare expression from a configuration into a program. */
function toProgram(statement: ts.Statement, source: ts.SourceFile): string {
  const text = statement.getText(source)
  if (!ts.isExpressionStatement(statement) || !ts.isCallExpression(statement.expression)) return text
  const { expression: callee } = statement.expression
  if (!ts.isIdentifier(callee)) return text
  if (callee.text === "authMiddleware") return `app.use(${text})`
  return PROVIDERS.has(callee.text) ? `app.use(authMiddleware({ adapter, providers: [${text}] }))` : text
}

/** The blocks below a heading of a page. */
export const blocksBelow = (file: string, heading: string) => blocksOf(read(file).split(`\n${heading}\n`)[1] ?? "")

/** The helper from docs/express.md that samples with forms use. */
const SAME_ORIGIN = blocksBelow("docs/express.md", "### Forms of your own")[0]?.code.replace(/^app\.post.*$/m, "") ?? ""

const toJavaScript = ({ code, language }: Sample): string =>
  language === "ts"
    ? ts.transpile(code, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true })
    : code

/** The sample as a module that exports its application. */
export function toModule(sample: Sample): string {
  const code = toJavaScript(sample)
  const source = ts.createSourceFile("sample.js", code, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS)
  const isReplaced = (node: ts.ImportDeclaration) => REPLACED.test((node.moduleSpecifier as ts.StringLiteral).text)
  const imports = source.statements.filter(ts.isImportDeclaration).filter((node) => !isReplaced(node))
  const body = source.statements.filter((node) => !ts.isImportDeclaration(node)).map((node) => toProgram(node, source))
  const imported = imports.flatMap((node) => [...identifiersIn(node)])
  const declared = new Set([...declaredIn(source), ...imported])
  const wanted = new Set([...identifiersIn(source), "app", "adapter", "authMiddleware", "config"])
  const needsSameOrigin = wanted.has("sameOrigin") && !declared.has("sameOrigin")
  if (needsSameOrigin) declared.add("sameOrigin")
  const given = [...wanted].filter((name) => !declared.has(name) && !(name in globalThis))
  const parts = body.map((text) =>
    text.replace(".listen(3000", ".listen(0").replace('"http://mailer.internal/send"', "mailer"),
  )
  const isMounted = parts.some((text) => text.includes("authMiddleware("))
  const hasRoutes = !isMounted && code.includes("app.")
  // An object with this name is a custom provider.
  if (declared.has("queue")) {
    parts.push("const providers = [queue]")
    declared.add("providers")
  }
  const options = ["adapter", "callbacks", "providers"].filter((name) => declared.has(name))
  return [
    ...imports.map((node) => node.getText(source)),
    `const { ${given.join(", ")} } = globalThis.given(${hasRoutes})`,
    ...(needsSameOrigin ? [SAME_ORIGIN] : []),
    ...parts,
    ...(isMounted || hasRoutes ? [] : [`app.use(authMiddleware({ ...config, ${options.join(", ")} }))`]),
    "export { app }",
  ].join("\n")
}
