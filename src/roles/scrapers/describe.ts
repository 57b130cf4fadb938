// Describes a scraper for people and programs: input, output and policy.

import { jsonSchemaOf } from '../../lib/json/json-schema.ts'
import { yaml } from '../../lib/text/yaml.ts'
import type { Json } from '../../model/record.ts'
import type { StandardSchema } from '../../model/standard-schema.ts'
import type { Entry } from './catalogue.ts'

interface Described {
  id: string
  version: string
  name: string
  description: string
  /** The file of the scraper, or `built in`. */
  from: string
  how: 'code' | 'rules' | 'default record'
  input: SchemaText | null
  output: SchemaText | null
  policy: Json
  /** The rules as YAML; null if the scraper is code. */
  rules: string | null
}

/** `shape` is a JSON Schema; null if the library cannot produce one. */
export interface SchemaText {
  library: string
  shape: Json
}

export function describeScraper({ scraper, file }: Entry): Described {
  const { id, version, name, description, rules, run } = scraper
  return {
    ...{ id, version, name, description },
    from: file ?? 'built in',
    how: run ? 'code' : rules ? 'rules' : 'default record',
    input: scraper.input ? schemaText(scraper.input, 'input') : null,
    output: scraper.output ? schemaText(scraper.output, 'output') : null,
    policy: (scraper.policy ?? {}) as Json,
    rules: rules ? yaml().stringify(rules) : null,
  }
}

const schemaText = (schema: StandardSchema, side: 'input' | 'output'): SchemaText => ({
  library: schema['~standard'].vendor,
  shape: jsonSchemaOf(schema, side),
})
