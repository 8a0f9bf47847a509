/** Writes the JSON Schemas of documents, records and settings as TypeScript, so that an editor completes what the emulator checks. */

const INDENT = '  '
const LONGEST_LINE = 160

/** What a value of each type of JSON is in TypeScript; lists and objects depend on their schema. */
const SCALARS = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }

const spaced = type => (type.startsWith('\n') ? type : ` ${type}`)
const literal = value => (typeof value === 'string' ? `'${value}'` : String(value))
const nameOf = name => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`)

/** A union; of many words, each on a line of its own. */
function unionOf(members, indent) {
  const line = [...new Set(members)].join(' | ')
  const isShort = line.includes('\n') || line.length <= LONGEST_LINE / 2
  return isShort ? line : line.replaceAll(/(^| \| )/g, `\n${indent}${INDENT}| `)
}

function comment({ description, default: fallback }, indent) {
  const text = [description, fallback !== undefined && `@default ${JSON.stringify(fallback)}`].filter(Boolean).join(' ')
  return text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`
}

/** What tells one schema from another: its words but what it says of itself. */
const textOf = schema => JSON.stringify(Object.fromEntries(Object.entries(schema).filter(([word]) => word !== 'description' && !word.startsWith('x-'))))
const textsOf = named => new Map(Object.entries(named).map(([name, { schema }]) => [textOf(schema), name]))

/** A writer of types: `names` are those of schemas that have a type of their own, by their texts; `isInput` writes lists that may be constant. */
function writer(names, isInput) {
  const listOf = type => (isInput ? `readonly ${type}[]` : `${type}[]`)
  const inner = (schema, indent) => names.get(textOf(schema)) ?? written(schema, indent)

  function written(schema, indent = '') {
    const { type, enum: words, if: condition, then: ofObject, else: otherwise } = schema
    if (condition !== undefined) return unionOf([inner(ofObject, indent), inner(otherwise, indent)], indent)
    if (words !== undefined) return unionOf(words.map(literal), indent)
    if (type === undefined) return 'unknown'
    const members = [type].flat().map(one => {
      if (one === 'object') return objectIn(schema, indent)
      return one === 'array' ? listIn(schema, indent) : SCALARS[one]
    })
    return unionOf(members, indent)
  }

  function listIn({ items = {} }, indent) {
    const type = inner(items, indent)
    return listOf(type.includes(' | ') ? `(${type})` : type)
  }

  function objectIn({ properties, additionalProperties, required = [] }, indent) {
    const deeper = indent + INDENT
    if (properties !== undefined) {
      const lines = Object.entries(properties).map(
        ([name, schema]) => `${comment(schema, deeper)}${deeper}${nameOf(name)}${required.includes(name) ? '' : '?'}:${spaced(inner(schema, deeper))}`
      )
      // other names have a type that those of the known ones are of too
      const others = typeof additionalProperties === 'object' && [additionalProperties, ...Object.values(properties)].map(schema => inner(schema, deeper))
      if (others) lines.push(`${deeper}[name: string]:${spaced(unionOf([...others, 'undefined'], deeper))}`)
      return `{\n${lines.join('\n')}\n${indent}}`
    }
    return `{ [name: string]: ${typeof additionalProperties === 'object' ? inner(additionalProperties, indent) : 'unknown'} }`
  }
  return written
}

const declaration = (name, about, type) => `/** ${about} */\nexport type ${name} =${spaced(type)}\n`

/** Every setting by its key, and nested by the dots of it. */
function settingsType({ SETTINGS, settingsSchema }) {
  const { properties } = settingsSchema(() => true)
  const flat = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, { schema, about, default: fallback }]) => [key, { ...schema, description: about, default: fallback }])
  )
  return { type: 'object', properties: { ...flat, ...properties } }
}

/** A value of `match` at every depth, from the outermost. */
function matchValues({ properties: { match } }) {
  const depths = []
  for (let at = match.properties.query.additionalProperties; typeof at === 'object'; at = at.additionalProperties) depths.push(at)
  return depths
}

/** The text of `src/client/documents.ts`, from the tables of the emulator. */
export function declarations(tables) {
  const { fixtureSchema, scenarioSchema, entrySchema, expectationSchema, settingsSchema, SETTINGS, RESOURCES, RESOURCE_NAMES } = tables
  const fixture = fixtureSchema()
  const scenario = scenarioSchema()
  const isOfScenario = key => SETTINGS[key].scope === 'sandbox' && key !== 'seed'
  const [matchValue, ...deeper] = matchValues(entrySchema())
  const records = Object.entries(RESOURCE_NAMES)

  const words = {
    OperationName: ['An operation of the reference: a method and a path.', tables.OPERATION_NAMES],
    PaymentType: ['How a Transaction is paid.', tables.PAYMENT_TYPES],
    AccountType: ['What an Account is.', tables.ACCOUNT_TYPES],
    RuleId: ['A rule of the reference.', Object.keys(tables.RULES)],
    AssumptionId: ['An assumption of the emulator.', Object.keys(tables.ASSUMPTIONS)],
    FindingName: ['A mistake that a client can make.', Object.keys(tables.FINDINGS)],
    AnswerCode: ['The code of a refusal, of the API or the control API.', Object.keys(tables.CATALOGUE)]
  }
  const ofWords = Object.entries(words).map(([name, [, members]]) => [textOf({ type: 'string', enum: members }), name])
  ofWords.push([textOf({ type: 'string', enum: ['*', ...tables.OPERATION_NAMES] }), "OperationName | '*'"])

  const inputs = {
    Fixture: { about: 'A fixture: records of each family, and API keys. What a record leaves out is filled in.', schema: fixture },
    ApiKey: { about: 'An API key, and the Account that it acts as.', schema: fixture.properties.api_keys.items },
    ...Object.fromEntries(
      records.map(([family, name]) => [
        `${name}Fixture`,
        { about: `A ${name} as a fixture gives it.`.replace('A A', 'An A'), schema: fixture.properties[family].items }
      ])
    ),
    Scenario: { about: 'A scenario: fixtures plus behaviour.', schema: scenario },
    ScriptEntry: { about: 'What the emulator does differently for some calls.', schema: entrySchema() },
    Match: { about: 'What a call has to carry.', schema: entrySchema().properties.match },
    MatchValue: { about: matchValue.description, schema: matchValue },
    Generate: { about: 'Records to be filled in from the seed, of one family.', schema: scenario.properties.generate.items },
    Step: { about: 'A call that is played through the API when the scenario loads.', schema: scenario.properties.steps.items },
    Play: { about: 'A call that `check` makes as a client would, or several at once.', schema: scenario.properties.play.items },
    PlayedCall: { about: 'One of several calls that are made at once.', schema: scenario.properties.play.items.properties.at_once.items },
    Expectation: {
      about:
        'How often calls have to come: `times`, or `at_least` and `at_most`; at least once when all are left out. Or in which order, or what the records are in the end.',
      schema: expectationSchema()
    },
    ExpectedCall: { about: 'A call of a sequence.', schema: expectationSchema().properties.sequence.items },
    ExpectedRecords: {
      about: 'Records of a family by id, with what they hold; `count` is how many there are.',
      schema: expectationSchema().properties.state.properties.tickets
    },
    SandboxSettings: { about: 'The settings that a scenario can give.', schema: settingsSchema(isOfScenario) },
    Settings: { about: 'Every setting, by key as on the command line, or nested.', schema: settingsType(tables) }
  }
  const inputNames = new Map([...textsOf(inputs), ...ofWords])
  for (const schema of deeper) inputNames.set(textOf(schema), 'MatchValue')
  const input = writer(inputNames, true)

  const answers = Object.fromEntries(
    records.map(([family, name]) => [name, { about: `A ${name} as the API returns it.`.replace('A A', 'An A'), schema: RESOURCES[family] }])
  )
  const answer = writer(new Map([...textsOf(answers), ...ofWords]), false)

  return [
    '/** What documents, records, settings and names look like: written by `npm run schema` from the tables that the emulator checks them by. */\n',
    ...Object.entries(inputs).map(([name, { about, schema }]) => declaration(name, about, input(schema))),
    ...Object.entries(answers).map(([name, { about, schema }]) => declaration(name, about, answer(schema))),
    ...Object.entries(words).map(([name, [about, members]]) => declaration(name, about, unionOf(members.map(literal), '')))
  ].join('\n')
}
