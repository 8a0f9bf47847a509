/** CodeMirror for YAML, loaded with the first editor. */
import {
  autocompletion,
  type CompletionContext,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { Problem } from '../control/client.js'
import { completions, type Schema } from './schema-completion.js'

type Options = {
  label: string
  text: string
  onChange: (text: string) => void
  schema: () => Promise<Schema> | null
}

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--read)' },
  { tag: [tags.string, tags.content, tags.attributeValue], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--faint)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.labelName, tags.typeName], color: 'var(--script)' }
])

const THEME = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--text)',
    backgroundColor: 'var(--ground)',
    fontSize: '0.75rem'
  },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-gutters': { color: 'var(--faint)', backgroundColor: 'var(--side)', border: '0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'var(--chosen)' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--ground)',
    border: '1px solid var(--edge)'
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)'
  },
  '.cm-completionInfo': { maxWidth: '22rem', padding: '0.4rem 0.6rem', fontFamily: 'var(--font)' },
  '.cm-problem': { backgroundColor: 'var(--bad-ground)', boxShadow: 'inset 3px 0 var(--bad)' }
})

/** Marks lines; the policy of the page forbids the inline styles of CodeMirror’s lint package. */
const setMarks = StateEffect.define<DecorationSet>()
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, { changes, effects }) =>
    effects.reduce(
      (now, effect) => (effect.is(setMarks) ? effect.value : now),
      before.map(changes)
    ),
  provide: field => EditorView.decorations.from(field)
})

const completer =
  (schema: Options['schema']) =>
  async ({ state, pos, explicit }: CompletionContext) => {
    const root = await schema()
    if (root === null) return null
    const { from, options } = completions(root, state.doc.toString(), pos)
    return options.length === 0 || (from === pos && !explicit) ? null : { from, options }
  }

const extensionsFor = ({ label, onChange, schema }: Options) => [
  lineNumbers(),
  marks,
  history(),
  drawSelection(),
  closeBrackets(),
  autocompletion({ override: [completer(schema)] }),
  yaml(),
  syntaxHighlighting(COLOURS),
  THEME,
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
  EditorView.contentAttributes.of({
    'aria-label': label,
    spellcheck: 'false',
    autocapitalize: 'off',
    tabindex: '0'
  }),
  EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) onChange(state.doc.toString())
  })
]

/** Puts an editor into a shadow root, where its styles need no `unsafe-inline`. */
export function mount(host: HTMLElement, options: Options) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const state = EditorState.create({ doc: options.text, extensions: extensionsFor(options) })
  const view = new EditorView({ root, parent: root, state })
  const lineAt = (line: number) =>
    view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines))
  return {
    set(text: string) {
      if (text !== view.state.doc.toString())
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    },
    mark(problems: readonly Problem[]) {
      const decorations = problems.flatMap(({ line, message: title, file = 'body' }) => {
        if (line === undefined || file !== 'body') return []
        const decoration = Decoration.line({ class: 'cm-problem', attributes: { title } })
        return [decoration.range(lineAt(line).from)]
      })
      view.dispatch({ effects: setMarks.of(Decoration.set(decorations, true)) })
    },
    goTo(line: number) {
      const { from, to } = lineAt(line)
      view.dispatch({
        selection: { anchor: from, head: to },
        effects: EditorView.scrollIntoView(from, { y: 'center' })
      })
      view.focus()
    },
    destroy: () => view.destroy()
  }
}
