import ts from "typescript"
import { read } from "./support/markdown.js"

interface Step {
  readonly file: string
  readonly name: string
}

/** The walks of CONTRIBUTING.md by title, with their steps. */
function readWalks(): [title: string, steps: Step[]][] {
  const [, section = ""] = /\n## Three walks through the code\n([\s\S]*?)\n## /.exec(read("CONTRIBUTING.md")) ?? []
  return section
    .split(/^\*\*/m)
    .slice(1)
    .map((walk) => {
      const [title = ""] = walk.split("**", 1)
      const steps = [...walk.matchAll(/^\d+\. `([\w./-]+): (#?\w+)` /gm)]
      return [title, steps.map(({ 1: file = "", 2: name = "" }) => ({ file, name }))]
    })
}

/** The names of the functions that a module defines, including methods and inner functions. */
function functionsIn(file: string): Set<string> {
  const names = new Set<string>()
  const visit = (node: ts.Node): void => {
    const isFunction = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)
    const isVariable = ts.isVariableDeclaration(node) && node.initializer && ts.isArrowFunction(node.initializer)
    if ((isFunction || isVariable) && node.name) names.add(node.name.getText())
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, read(`lib/${file}`), ts.ScriptTarget.Latest, true))
  return names
}

const WALKS = readWalks()

it("CONTRIBUTING.md has three walks of ten steps", () => {
  expect(WALKS.map(([, steps]) => steps.length)).toEqual([10, 10, 10])
})

it.each(WALKS)("the walk %j names existing functions", (_, steps) => {
  const missing = steps.filter(({ file, name }) => !functionsIn(file).has(name))
  expect(missing).toEqual([])
})
