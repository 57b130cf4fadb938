// Reads jobs as users write them: flags, a rules file, or a whole job file. The jobs are checked before anything
// starts.
import { readFileSync } from 'node:fs'
import { parseRulesFile } from '../../extract/rules/rules-file.ts'
import { readTextFile } from '../../lib/text/text-file.ts'
import { parseYaml } from '../../lib/text/yaml.ts'
import type { ExtractionRules } from '../../model/extraction-rules.ts'
import { Failure } from '../../model/failures.ts'
import type { GivenSpec, JobSpec, JobSpecInput } from '../../model/job.ts'
import { isObject } from '../../model/json.ts'
import { leavesOf } from '../../model/policy/given-policy.ts'
import { outputOf, placeOf } from './output-of.ts'
import { inForce } from './policy-in-force.ts'
import { parseJobBody, parseJobSpec } from './submit-job.ts'

/** A spec from flags. A rules file replaces the rules of the spec. */
export function specFromFlags(given: JobSpecInput, rulesFile?: string): GivenSpec {
  const extract = rulesFile ? readRules(rulesFile) : given.extract
  return parseJobSpec({ ...given, extract })
}

/** Extraction rules from a file. Errors name the line and column. */
export const readRules = (path: string): ExtractionRules => parseRulesFile(readTextFile(path), path)

/** Reads a job file: the body of `POST /jobs` as YAML or JSON; `-` is standard input. Flags override its fields. In a file, an
 *  output may be only a path. */
export function specFromFile(path: string, change: JobSpecInput = {}): GivenSpec {
  const body = bodyFromFile(path, 'job', 'seed_urls: [https://example.com/]')
  const given = parseJobBody({ ...body, ...('output' in body && { output: outputsOf(body.output) }) })
  return parseJobSpec(merged(given, change))
}

/** Reads the fields of a YAML or JSON file; `-` is standard input. */
export function bodyFromFile(path: string, what: string, example: string): Record<string, unknown> {
  const name = path === '-' ? 'standard input' : path
  const body = parsed(path === '-' ? readFileSync(0, 'utf8') : readTextFile(path), name)
  if (isObject(body)) return body
  throw new Failure('input.invalid', `${name} is not a ${what}: it needs fields, such as "${example}"`, {
    path,
  })
}

function parsed(text: string, name: string): unknown {
  try {
    return parseYaml(text)
  } catch (cause) {
    const [reason] = (cause as Error).message.split(':\n')
    throw new Failure('input.invalid', `${name} is neither YAML nor JSON: ${reason}`, { name }, { cause })
  }
}

const outputsOf = (given: unknown): unknown =>
  (Array.isArray(given) ? given : [given]).map(entry =>
    typeof entry === 'string' ? outputOf(entry) : absolute(entry),
  )

const absolute = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'path' in entry && typeof entry.path === 'string'
    ? { ...entry, path: placeOf(entry.path) }
    : entry

/** A copy of the spec in which the fields of `change` are replaced. */
export function changedSpec(job: JobSpec, change: JobSpecInput): JobSpec {
  if (Object.keys(change).length === 0) return job
  const { policyFrom, ...spec } = job
  const changed = inForce(parseJobSpec(merged(spec, change)))
  const said = leavesOf(change.policy ?? {}).map(([path]) => [path, 'job' as const])
  return { ...changed, policyFrom: { ...policyFrom, ...Object.fromEntries(said) } }
}

function merged(base: unknown, over: unknown): unknown {
  if (!isObject(base) || !isObject(over)) return over === undefined ? base : over
  const keys = [...new Set([...Object.keys(base), ...Object.keys(over)])]
  return Object.fromEntries(keys.map(key => [key, merged(base[key], over[key])]))
}
