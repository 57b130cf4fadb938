// Runs compiled rules over a page: records out, a null and the reason for what is not there.
import type { Coerce } from '../../model/extraction-rules.ts'
import type { Extracted } from '../../model/record.ts'
import type { FlatDocument } from '../document/index.ts'
import { PageFacts } from '../page-facts.ts'
import type { RegexJob, RegexRunner } from '../regex-jobs.ts'
import type { CompiledRules } from './compiled-rules.ts'
import { type IncompleteRecord, RecordReader } from './record-reader.ts'

export interface RulesContext {
  /** The page's address, for failures to name. */
  url: string
  /** What relative URLs are resolved against: the page's `<base>`, or its address. */
  baseUrl: string
  /** The page as text, for regexes without a selector. */
  source: string
  /** When the page was fetched, in ms: what "yesterday" is read against. */
  fetchedAt?: number
  coerce: Coerce
  regex: RegexRunner
}

/** Many records with `each`, one without; none where a required field is missing. A promise only when a rule uses a regex. */
export function applyRules(
  document: FlatDocument,
  rules: CompiledRules,
  context: RulesContext,
): Extracted[] | Promise<Extracted[]> {
  return readWith(document, rules, context, reader => reader.read(rules))
}

/** With the records that lack required fields, and what they lack. */
export const applyRulesToAll = async (
  document: FlatDocument,
  rules: CompiledRules,
  context: RulesContext,
): Promise<IncompleteRecord[]> => readWith(document, rules, context, reader => reader.readIncomplete(rules))

function readWith<Read>(
  document: FlatDocument,
  rules: CompiledRules,
  context: RulesContext,
  read: (reader: RecordReader) => Read,
): Read | Promise<Read> {
  const facts = new PageFacts(document)
  if (rules.usesRegex) return readWithRegexes(facts, context, read)
  return read(new RecordReader(facts, context, () => ({ found: [] })))
}

/**
 * Two passes over the same page: the first only gathers what the regexes have to look at, so that they cross to their thread
 * in one message; the second takes the answers in the same order.
 */
async function readWithRegexes<Read>(
  facts: PageFacts,
  context: RulesContext,
  read: (reader: RecordReader) => Read,
): Promise<Read> {
  const jobs: RegexJob[] = []
  const gather = (job: RegexJob) => {
    jobs.push(job)
    return { found: [] }
  }
  read(new RecordReader(facts, context, gather))
  const answers = (await context.regex.run(jobs)).values()
  return read(new RecordReader(facts, context, () => answers.next().value!))
}
