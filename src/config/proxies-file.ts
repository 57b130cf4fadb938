// Parses the proxies file: one proxy per line, or YAML. Errors never show a password.
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { problemsOf } from '../lib/text/problems.ts'
import { parseYaml } from '../lib/text/yaml.ts'
import { Failure } from '../model/failures.ts'
import { camel, mapKeys } from '../model/letter-case.ts'
import { proxyUrl } from '../model/policy/proxy.ts'

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'a name of small letters, digits, dots and dashes')
const country = z.string().regex(/^[a-zA-Z]{2}$/, 'a country in two letters, like "de"')
const secret = z.coerce.string().min(1).max(1_000)

const listed = z.union([
  proxyUrl.transform(url => ({ url })),
  z.strictObject({ url: proxyUrl, country: country.optional() }),
])

const template = z.strictObject({
  url: proxyUrl,
  username: z.string().min(1).max(500),
  password: secret,
})

const provider = z.union([
  z.strictObject({
    customer: z.coerce.string().min(1).max(200),
    gateway: proxyUrl.optional(),
    zones: z.record(name, z.strictObject({ zone: z.coerce.string().min(1).max(200), password: secret })),
  }),
  z.strictObject({ networks: z.record(name, template) }),
  template,
])

const proxiesFile = z.strictObject({
  proxies: z.array(listed).max(100_000).default([]),
  providers: z.record(name, provider).default({}),
})
export type ProxiesFile = z.output<typeof proxiesFile>

export function readProxiesFile(path: string): ProxiesFile {
  const text = textOf(path)
  const value = /^\s*(proxies|providers)\s*:/m.test(text) ? yamlIn(text, path) : { proxies: linesIn(text) }
  const parsed = proxiesFile.safeParse(value)
  if (parsed.success) return parsed.data
  const lines = problemsOf(parsed.error, { known: ['proxies', 'providers', 'url', 'country'] }).map(
    problem => `${problem.path}: ${problem.message}`,
  )
  throw new Failure('input.invalid', `SCRAPER_PROXIES_FILE ${path}: ${lines.join('; ')}`, { path })
}

const linesIn = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map(line => line.replace(/(^|\s)#.*$/, '').trim())
    .filter(line => line !== '')

/** Parses YAML and converts its keys, except keys that users choose (names of providers and zones). */
function yamlIn(text: string, path: string): unknown {
  try {
    return mapKeys(parseYaml(text), key => camel(key))
  } catch (cause) {
    throw new Failure(
      'input.invalid',
      `SCRAPER_PROXIES_FILE ${path} is not valid YAML`,
      { path },
      { cause: String((cause as Error).name) },
    )
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new Failure('input.invalid', `SCRAPER_PROXIES_FILE ${path} can't be read`, { path }, { cause })
  }
}
