// The yaml package, loaded with its first use: most commands and processes read no YAML.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

export const yaml = (): typeof import('yaml') => require('yaml')

export const parseYaml = (text: string): unknown => yaml().parse(text)
