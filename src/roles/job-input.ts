// Jobs as people write them: flags, a rules file, or a whole job file, checked before anything starts.
import { parse as parseYaml } from 'yaml'
import { parseRulesFile } from '../extract/rules/rules-file.ts'
import { readTextFile } from '../lib/text-file.ts'
import { Failure } from '../model/failures.ts'
import type { JobSpec, JobSpecInput } from '../model/job.ts'
import { parseJobBody, parseJobSpec } from '../pipeline/submit-job.ts'

/** A spec from flags; rules from a file take the place of those in it. */
export function specFromFlags(given: JobSpecInput, rulesFile?: string): JobSpec {
  const extract = rulesFile ? parseRulesFile(readTextFile(rulesFile), rulesFile) : given.extract
  return parseJobSpec({ ...given, extract })
}

/** The body of `POST /jobs`, as YAML or JSON. */
export function specFromFile(path: string): JobSpec {
  return parseJobBody(parsed(path))
}

function parsed(path: string): unknown {
  try {
    return parseYaml(readTextFile(path))
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure(
      'input.invalid',
      `${path} is neither YAML nor JSON: ${(cause as Error).message}`,
      { path },
      { cause },
    )
  }
}
