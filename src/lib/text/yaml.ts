// Loads the yaml package on first use, because most commands need no YAML.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

export const yaml = (): typeof import('yaml') => require('yaml')

export const parseYaml = (text: string): unknown => yaml().parse(text)
