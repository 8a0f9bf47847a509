/**
 * Small defects, one at a time, for each place in a source where a predicate or condition can be
 * wrong.
 */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * A text to put between two places of a source; `what` describes the change, `text` is the whole
 * source with it.
 */
export type Defect = { file: string; line: number; start: number; what: string; text: string }
type Replacement = { node: ts.Node; instead: string }

/** Operators that are easily confused. */
const OTHER: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '==='
}
const LOGICAL: readonly ts.SyntaxKind[] = [
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken
]

/** The defects of each source, in the order of its text. Paths are relative to the project. */
export const defectsIn = (files: readonly string[]): Defect[] =>
  files.flatMap(file =>
    defectsOf(
      ts.createSourceFile(
        ROOT + file,
        readFileSync(ROOT + file, 'utf8'),
        ts.ScriptTarget.Latest,
        true
      )
    )
  )

/** The source with another text in place of a node. */
function defectOf(source: ts.SourceFile, { node, instead }: Replacement): Defect {
  const [start, end] = [node.getStart(source), node.end]
  const shown = node.kind in OTHER ? node.parent : node
  const before = shown.getText(source)
  const after =
    before.slice(0, start - shown.getStart(source)) +
    instead +
    before.slice(end - shown.getStart(source))
  return {
    file: relative(ROOT, source.fileName),
    line: source.getLineAndCharacterOfPosition(start).line + 1,
    start,
    what: [before, after].map(text => text.replace(/\s+/g, ' ')).join(' → '),
    text: source.text.slice(0, start) + instead + source.text.slice(end)
  }
}

function defectsOf(source: ts.SourceFile): Defect[] {
  const defects = new Map<string, Defect>()
  const visit = (node: ts.Node): void => {
    for (const replacement of [
      ...atOperators(node, source),
      ...atBranches(node, source),
      ...atPredicates(node)
    ]) {
      const defect = defectOf(source, replacement)
      if (defect.text !== source.text && !defects.has(defect.text)) defects.set(defect.text, defect)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...defects.values()].sort((one, other) => one.start - other.start)
}

/** Swaps `<` and `<=`, or `===` and `!==`, drops one operand, or replaces `!x` with `x`. */
function atOperators(node: ts.Node, source: ts.SourceFile): Replacement[] {
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [{ node, instead: node.operand.getText(source) }]
  if (!ts.isBinaryExpression(node)) return []
  const { operatorToken: operator, left, right } = node
  const other = OTHER[operator.kind]
  if (other !== undefined) return [{ node: operator, instead: other }]
  if (!LOGICAL.includes(operator.kind)) return []
  // in `a && b && c` the first two are a separate node
  const isInner = ts.isBinaryExpression(left) && left.operatorToken.kind === operator.kind
  return (isInner ? [left] : [right, left]).map(kept => ({ node, instead: kept.getText(source) }))
}

/** Swaps the branches of a condition; if it has operators, their defects show as much. */
function atBranches(node: ts.Node, source: ts.SourceFile): Replacement[] {
  if (ts.isIfStatement(node) && !hasOperator(node.expression))
    return [{ node: node.expression, instead: `!${node.expression.getText(source)}` }]
  if (!ts.isConditionalExpression(node) || hasOperator(node.condition)) return []
  const [condition, whenTrue, whenFalse] = [node.condition, node.whenTrue, node.whenFalse].map(
    part => part.getText(source)
  )
  return [{ node, instead: `${condition} ? ${whenFalse} : ${whenTrue}` }]
}

const hasOperator = (condition: ts.Expression): boolean =>
  ts.isBinaryExpression(condition) || ts.isPrefixUnaryExpression(condition)

/** Makes a predicate always true or always false, also one that a table imports. */
function atPredicates(node: ts.Node): Replacement[] {
  if (ts.isPropertyAssignment(node) && !ts.isFunctionLike(node.initializer)) {
    return isDeclared(node.initializer) ? always(node.initializer, value => `() => ${value}`) : []
  }
  if (
    !(ts.isArrowFunction(node) || ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) ||
    node.body === undefined
  )
    return []
  const { body, type } = node
  const isAnnotated =
    type !== undefined &&
    (ts.isTypePredicateNode(type) || /^boolean( \| null)?$/.test(type.getText()))
  if (!isAnnotated && !isDeclared(node) && !isTruth(body)) return []
  return always(body, ts.isBlock(body) ? value => `{ return ${value} }` : String)
}

/** Whether a value is declared as a predicate, alone or in a table. */
function isDeclared({ parent }: ts.Node): boolean {
  if (!ts.isPropertyAssignment(parent)) return isOfPredicates(parent)
  return parent.name.getText() === 'holds' || isOfPredicates(parent.parent.parent)
}
const isOfPredicates = (node: ts.Node): boolean =>
  ts.isVariableDeclaration(node) && /\b(Predicate|Test)\b/.test(node.type?.getText() ?? '')

/** Whether an expression is boolean by its operator, or by the name of what it calls. */
function isTruth(node: ts.Node): boolean {
  if (ts.isParenthesizedExpression(node)) return isTruth(node.expression)
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken
    return LOGICAL.includes(kind)
      ? isTruth(node.right)
      : kind in OTHER || kind === ts.SyntaxKind.InstanceOfKeyword
  }
  if (ts.isCallExpression(node))
    return /(^|\.)((is|has)[A-Z]?\w*|some|every|includes|test|matches)$/.test(
      node.expression.getText()
    )
  return ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken
}

function always(node: ts.Node, written: (value: boolean) => string): Replacement[] {
  const operator = ts.isBinaryExpression(node) ? node.operatorToken.kind : null
  const values = [true, false].filter(
    value =>
      operator !== (value ? ts.SyntaxKind.AmpersandAmpersandToken : ts.SyntaxKind.BarBarToken)
  )
  return values.map(value => ({ node, instead: written(value) }))
}
