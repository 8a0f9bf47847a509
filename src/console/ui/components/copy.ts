import { toast } from './toast.js'

/** Copies a text and says so; by a selected field where the browser has no clipboard for pages without HTTPS. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast(`${what} copied`)
  } catch {
    if (copyBySelection(text)) toast(`${what} copied`)
    else toast('The browser does not allow copying; select the text instead.', 'error')
  }
}

function copyBySelection(text: string): boolean {
  const field = Object.assign(document.createElement('textarea'), { value: text, className: 'hidden' })
  const parent = document.querySelector('dialog[open]') ?? document.body
  parent.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  return isCopied
}
