/** Light or dark: as the system has it, or as it was chosen here. */
import { effect, signal } from '@preact/signals'
import { remember, remembered } from './memory.js'

const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const kept = remembered('theme') as Theme | null
export const theme = signal<Theme>(kept !== null && THEMES.includes(kept) ? kept : 'system')

effect(() => {
  document.documentElement.dataset.theme = theme.value
  remember('theme', theme.value)
})

export const nextTheme = (): void => {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] as Theme
}
