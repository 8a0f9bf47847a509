/**
 * Writes dist/index.d.ts: what src/index.ts exports, in one file that needs no other. Types that are worked out from tables are written out, those with a
 * name of their own once, each with its comment.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ENTRY = process.argv[2] ?? 'src/index.ts'
const HEAD = '/// <reference lib="esnext.disposable" />\n'

const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
const program = ts.createProgram([`${ROOT}${ENTRY}`], { ...options, incremental: false, tsBuildInfoFile: undefined })
const checker = program.getTypeChecker()
const { TypeFlags, ObjectFlags, SymbolFlags } = ts

/** Names of declarations that are still to be written, in the order in which they were met; a symbol has one name. */
const names = new Map()
const declared = []

const isOwn = symbol => symbol?.declarations?.[0]?.getSourceFile().fileName.startsWith(`${ROOT}src/`) ?? false
/** Whether a symbol is one that the language or its standard library has. */
const isStandard = symbol => symbol.declarations?.some(node => program.isSourceFileDefaultLibrary(node.getSourceFile())) ?? false

/** The name under which a symbol is declared; two of the same name get different ones. */
function nameOf(symbol) {
  const known = names.get(symbol)
  if (known !== undefined) return known
  const taken = new Set(names.values())
  let name = symbol.name
  for (let count = 2; taken.has(name); count++) name = `${symbol.name}${count}`
  names.set(symbol, name)
  declared.push(symbol)
  return name
}

const indent = text => text.replaceAll('\n', '\n  ')
function comment(symbol) {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim()
  if (text === '') return ''
  return text.includes('\n') ? `/**\n * ${text.replaceAll('\n', '\n * ')}\n */\n` : `/** ${text} */\n`
}
/** The name of a property as it is declared; the checker calls that of a symbol `__@asyncDispose@12`. */
function key(name) {
  const [, symbol] = /^__@(\w+)@/.exec(name) ?? []
  if (symbol !== undefined) return `[Symbol.${symbol}]`
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}

/** A type as it is written as a part of another. */
function part(type) {
  const shown = text(type)
  const isOne = /^\w+$/.test(shown) || !(type.flags & TypeFlags.UnionOrIntersection || (type.getCallSignatures().length === 1 && !shown.startsWith('{')))
  return isOne ? shown : `(${shown})`
}

function parametersOf(signature) {
  return signature
    .getParameters()
    .map(parameter => {
      const node = parameter.valueDeclaration
      const type = checker.getTypeOfSymbol(parameter)
      const name = node && ts.isIdentifier(node.name) ? parameter.name : 'options'
      if (node?.dotDotDotToken) return `...${name}: ${text(type)}`
      const isOptional = node && checker.isOptionalParameter(node)
      return `${name}${isOptional ? '?: ' : ': '}${isOptional ? textOfOptional(type) : text(type)}`
    })
    .join(', ')
}
const typeParametersOf = signature => {
  const list = signature.getTypeParameters() ?? []
  if (list.length === 0) return ''
  const shown = list.map(
    one => `${one.symbol.name}${one.getConstraint() ? ` extends ${text(one.getConstraint())}` : ''}${one.getDefault() ? ` = ${text(one.getDefault())}` : ''}`
  )
  return `<${shown.join(', ')}>`
}
const signatureText = (signature, arrow) => {
  const predicate = checker.getTypePredicateOfSignature(signature)
  const result = predicate ? `${predicate.parameterName ?? 'this'} is ${text(predicate.type)}` : text(signature.getReturnType())
  return `${typeParametersOf(signature)}(${parametersOf(signature)})${arrow}${result}`
}

/** The type of what may be left out, which `?` says. */
function textOfOptional(type) {
  const isUndefinable = type.isUnion() && type.types.some(one => one.flags & TypeFlags.Undefined)
  return isUndefinable && !type.aliasSymbol ? unionText(type.types.filter(one => !(one.flags & TypeFlags.Undefined))) : text(type)
}

function unionText(types, isWhole = false) {
  const isLast = type => type.flags & (TypeFlags.Null | TypeFlags.Undefined)
  const first = types.filter(type => !isLast(type))
  const last = types.filter(isLast).map(type => text(type))
  const named = exportedUnions.get(unionKey(first))
  if (named !== undefined && !isWhole) return [nameOf(named), ...last].join(' | ')
  const isBoolean = first.filter(type => type.flags & TypeFlags.BooleanLiteral).length === 2
  const shown = first.filter(type => !(isBoolean && type.flags & TypeFlags.BooleanLiteral)).map(part)
  return [...shown, ...(isBoolean ? ['boolean'] : []), ...last].join(' | ')
}

/** The members of an object type. */
function membersText(type, properties = type.getProperties()) {
  const lines = []
  for (const signature of type.getCallSignatures()) lines.push(signatureText(signature, ': '))
  for (const signature of type.getConstructSignatures()) lines.push(`new ${signatureText(signature, ': ')}`)
  for (const { keyType, type: value, isReadonly } of checker.getIndexInfosOfType(type))
    lines.push(`${isReadonly ? 'readonly ' : ''}[name: ${text(keyType)}]: ${text(value)}`)
  for (const property of properties) {
    const flags = ts.getCombinedModifierFlags(property.valueDeclaration ?? property.declarations?.[0] ?? { flags: 0 })
    if (property.name.startsWith('__#') || flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) continue
    const isOptional = Boolean(property.flags & SymbolFlags.Optional)
    const isReadonly = Boolean(
      (property.links?.checkFlags ?? 0) & 8 ||
        flags & ts.ModifierFlags.Readonly ||
        (property.flags & SymbolFlags.Accessor && !(property.flags & SymbolFlags.SetAccessor))
    )
    const value = checker.getTypeOfSymbol(property)
    lines.push(
      `${comment(property)}${isReadonly ? 'readonly ' : ''}${key(property.name)}${isOptional ? '?: ' : ': '}${isOptional ? textOfOptional(value) : text(value)}`
    )
  }
  return lines.length === 0 ? '{}' : `{\n  ${lines.map(indent).join('\n  ')}\n}`
}

/** A type as it is written where it is used; `whole` is the one whose declaration is being written. */
function text(type, whole = null) {
  const { aliasSymbol } = type
  const named = exportedTypes.get(type) ?? (isOwn(aliasSymbol) && !type.aliasTypeArguments?.length ? aliasSymbol : undefined)
  if (type !== whole && named !== undefined) return nameOf(named)
  if (type !== whole && aliasSymbol && isStandard(aliasSymbol) && aliasSymbol.name === 'Record')
    return `Record<${type.aliasTypeArguments.map(one => text(one)).join(', ')}>`
  const { flags } = type
  if (type.isUnion()) return unionText(type.types, type === whole)
  if (flags & TypeFlags.Intersection)
    return type.types.every(one => one.flags & TypeFlags.Object) ? membersText(type) : type.types.map(one => part(one)).join(' & ')
  if (!(flags & TypeFlags.Object)) return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)
  if (checker.isTupleType(type))
    return `${type.target.readonly ? 'readonly ' : ''}[${checker
      .getTypeArguments(type)
      .map(one => text(one))
      .join(', ')}]`
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type)
    return `${type.symbol.name === 'ReadonlyArray' ? 'readonly ' : ''}${part(element)}[]`
  }
  const { symbol } = type
  const isNamed = symbol && symbol.flags & (SymbolFlags.Class | SymbolFlags.Interface)
  if (isNamed && type !== whole) {
    if (exported.has(symbol) || (isOwn(symbol) && symbol.flags & SymbolFlags.Interface)) return nameOf(symbol)
    const given = type.objectFlags & ObjectFlags.Reference ? checker.getTypeArguments(type).filter(one => !one.isThisType) : []
    const last = given.length === 0 ? '' : `<${given.map(one => text(one)).join(', ')}>`
    if (isStandard(symbol)) return `${symbol.name}${last}`
    return 'unknown'
  }
  const calls = type.getCallSignatures()
  if (calls.length === 1 && type.getProperties().length === 0) return signatureText(calls[0], ' => ')
  return membersText(type)
}

/** A class without what is private, and without what it inherits and does not declare anew. */
function classText(symbol, name) {
  const instance = checker.getDeclaredTypeOfSymbol(symbol)
  const [base] = checker.getBaseTypes(instance)
  const [made] = checker.getTypeOfSymbol(symbol).getConstructSignatures()
  const members = instance.getProperties().filter(isOwn)
  const body = membersText(instance, members)
  return `class ${name}${base ? ` extends ${text(base)}` : ''} {\n  constructor(${parametersOf(made)})${body === '{}' ? '\n}' : body.slice(1)}`
}

function declaration(symbol, name, isExported) {
  const before = `${comment(symbol)}${isExported ? 'export ' : ''}`
  if (symbol.flags & SymbolFlags.Class) return `${before}declare ${classText(symbol, name)}`
  if (symbol.flags & SymbolFlags.Function) {
    return checker
      .getTypeOfSymbol(symbol)
      .getCallSignatures()
      .map(signature => `${before}declare function ${name}${signatureText(signature, ': ')}`)
      .join('\n')
  }
  if (symbol.flags & SymbolFlags.Variable) return `${before}declare const ${name}: ${text(checker.getTypeOfSymbol(symbol))}`
  const type = checker.getDeclaredTypeOfSymbol(symbol)
  return `${before}type ${name} = ${text(type, type)}`
}

const entry = checker.getSymbolAtLocation(program.getSourceFile(`${ROOT}${ENTRY}`))
const exported = new Set(checker.getExportsOfModule(entry).map(symbol => (symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)))
/** Types that have an exported name, which the checker forgets where they are worked out from tables. */
const exportedTypes = new Map()
const exportedUnions = new Map()
const unionKey = types =>
  types
    .map(({ id }) => id)
    .sort()
    .join()
for (const symbol of exported) {
  nameOf(symbol)
  if (!(symbol.flags & SymbolFlags.TypeAlias)) continue
  const type = checker.getDeclaredTypeOfSymbol(symbol)
  if (type.isUnion()) exportedUnions.set(unionKey(type.types), symbol)
  else if (type.flags & TypeFlags.Object) exportedTypes.set(type, symbol)
}
const parts = []
for (const symbol of declared) parts.push(declaration(symbol, names.get(symbol), exported.has(symbol)))
writeFileSync(`${ROOT}dist/index.d.ts`, `${HEAD}${[...parts, 'export {}'].join('\n\n')}\n`)
