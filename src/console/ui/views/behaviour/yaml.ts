/** YAML of script entries. */
import { stringify } from 'yaml'

/** A value as YAML, which reads back as the same value. */
export const yamlOf = (value: object): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })
