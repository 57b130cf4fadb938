// Applies compiled rules to a page. Missing values are null and have a reason.
import type { Coerce } from '../../model/extraction-rules.ts'
import type { Extracted } from '../../model/record.ts'
import type { FlatDocument } from '../document/index.ts'
import { PageFacts } from '../page-facts.ts'
import type { RegexJob, RegexRunner } from '../regex-jobs.ts'
import type { CompiledRules } from './compiled-rules.ts'
import { type IncompleteRecord, RecordReader } from './record-reader.ts'

export interface RulesContext {
  /** The URL of the page, for messages. */
  url: string
  /** The base of relative URLs: the page's `<base>`, or its URL. */
  baseUrl: string
  /** The source of the page, for regexes without a selector. */
  source: string
  /** When the page was fetched, in epoch ms. Relative dates such as "yesterday" refer to it. */
  fetchedAt?: number
  coerce: Coerce
  regex: RegexRunner
}

/** Returns one record per row if the rules have `each`, otherwise one record of the page. A record that lacks a required
 *  field is left out. Returns a promise only if a rule uses a regex. */
export function applyRules(
  document: FlatDocument,
  rules: CompiledRules,
  context: RulesContext,
): Extracted[] | Promise<Extracted[]> {
  return readWith(document, rules, context, reader => reader.read(rules))
}

/** Also returns records that lack required fields, together with the missing fields. */
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

/** Reads the page twice. The first pass collects the inputs of regexes, so that the thread gets them in one message.
 *  The second pass uses the results in the same order. */
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
