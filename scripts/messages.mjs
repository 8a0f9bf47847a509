/**
 * `npm run messages`: every text that people read, as it stands in src/, by file and name: what the
 * tables of sentences say, and what the console shows.
 * A text is what has two words or more. `npm run messages -- control core` prints those of two
 * folders.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const isText = text => /\p{L}\S* \S*\p{L}/u.test(text)

/** The names that lead to a node: those of constants, functions and properties. */
function nameOf(node, names = []) {
  if (!node) return names.join('.')
  const { name } = node
  const isNamed =
    name &&
    (ts.isVariableDeclaration(node) ||
      ts.isPropertyAssignment(node) ||
      ts.isFunctionDeclaration(node))
  return nameOf(node.parent, isNamed ? [name.getText(), ...names] : names)
}

/** The text of a literal, with its values in `${}`. */
const textOf = node => {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isJsxText(node))
    return node.text
  return ts.isTemplateExpression(node) ? node.getText().slice(1, -1) : ''
}

function print(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const lines = []
  const visit = node => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return
    const text = textOf(node).replace(/\s+/g, ' ').trim()
    if (isText(text)) lines.push(`  ${nameOf(node)}: ${text}`)
    else ts.forEachChild(node, visit)
  }
  visit(source)
  if (lines.length > 0) console.log(`${file}\n${lines.join('\n')}\n`)
}

const wanted = process.argv.slice(2)
for (const path of readdirSync('src', { recursive: true }).sort()) {
  const isWanted = wanted.length === 0 || wanted.some(folder => path.startsWith(`${folder}/`))
  if (isWanted && /\.tsx?$/.test(path) && !path.endsWith('documents.ts')) print(join('src', path))
}
