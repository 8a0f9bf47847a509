/** Light or dark: as the system has it, or as it was chosen here. */
import { effect } from '@preact/signals'
import { kept } from './memory.js'

const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export const theme = kept<Theme>('theme', 'system', value => THEMES.includes(value as Theme))

effect(() => {
  document.documentElement.style.colorScheme = theme.value === 'system' ? '' : theme.value
})

export const nextTheme = (): void => {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] as Theme
}
