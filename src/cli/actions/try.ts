// The action of kscrape try: prints the record and the source of each field, once or on every change of the rules.
import { loadSettings } from '../../config/load.ts'
import { sourceText } from '../../lib/field-sources.ts'
import { fileChanges } from '../../lib/file-changes.ts'
import { withoutRequired } from '../../model/extraction-rules.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { Extracted } from '../../model/record.ts'
import { readRules } from '../../pipeline/submit/job-input.ts'
import { PageTrial, type Trial } from '../../roles/local/page-trial.ts'
import { fetchSpecOf, settingsOf } from '../flags/flag-spec.ts'
import type { FetchFlags } from '../flags/flags.ts'
import { print, printJson } from '../print.ts'
import { safe, type Talk, talkOn } from '../talk.ts'

export interface TryFlags extends FetchFlags {
  extract?: string
  why?: boolean
  watch?: boolean
  fresh?: boolean
  llm?: 'off' | 'fallback'
  llmTokens?: number
}

export async function tryRules(url: string, flags: TryFlags): Promise<void> {
  if (flags.watch && !flags.extract)
    throw new Failure('input.invalid', '--watch needs the rules file to watch: --extract rules.yaml')
  if (flags.why && flags.extract)
    throw new Failure('input.invalid', '--why explains the default record; leave out --extract')
  const talk = talkOn(process.stderr, flags)
  // Checks the rules before any request. With --watch the user can still correct them.
  if (flags.extract && !flags.watch) readRules(flags.extract)
  await using trial = await openTrial(url, flags)
  talk.say(talk.colors.dim(`${trial.page.finalUrl} ${trial.wasKept ? 'from the store' : 'fetched'}`))
  if (flags.why) return explain(trial, flags)
  if (flags.watch) await watchRules(trial, flags, talk)
  else await show(trial, flags)
}

export async function openTrial(
  url: string,
  flags: TryFlags,
  stop = new AbortController(),
): Promise<PageTrial> {
  const loaded = await loadSettings(settingsOf(flags))
  const spec = fetchSpecOf(flags)
  const { llm, llmTokens } = flags
  const model = { ...(llm && { llm }), ...(llmTokens !== undefined && { llmTokens }) }
  return PageTrial.open(loaded, { url, spec, model, fresh: Boolean(flags.fresh), stop: stop.signal })
}

function explain(trial: PageTrial, { json }: TryFlags): void {
  const reasons = trial.reasons()
  if (json) {
    const { pageKind, ...rest } = reasons
    printJson({ url: trial.page.url, page_kind: pageKind, ...rest })
    return
  }
  const { pageKind, sure, why, root, dropped } = reasons
  print(`page kind: ${pageKind}${sure ? '' : ' (uncertain)'}: ${safe(why)}`)
  print(`main content: ${safe(root)}`)
  print(dropped.length === 0 ? 'left out: nothing' : 'left out:')
  for (const { rule, meaning, element, length, begins } of dropped)
    print(`  ${rule} (${meaning}): ${safe(element)}, ${length} characters: ${safe(begins)}`)
}

async function show(trial: PageTrial, { extract, json }: TryFlags): Promise<void> {
  const rules = extract ? readRules(extract) : undefined
  const tried = await trial.extract(rules)
  if (json) return printJson(factsOf(trial, tried))
  for (const text of textsOf(tried)) print(text)
  // There may be no record because a required field is missing. So print what the rules find if no field is required.
  if (tried.records.length > 0 || !rules) return
  const { records } = await trial.extract(withoutRequired(rules))
  for (const record of records) print(textOf(record, 'as if no field were required'))
}

/** Prints the result again after every change. If the rules have errors, prints the errors instead of the result. */
async function watchRules(trial: PageTrial, flags: TryFlags, talk: Talk): Promise<void> {
  for await (const _change of fileChanges(flags.extract!, new AbortController().signal)) {
    if (process.stdout.isTTY && !flags.json) process.stdout.write('\x1b[2J\x1b[3J\x1b[H')
    try {
      await show(trial, flags)
    } catch (error) {
      const { code, message } = asFailure(error)
      if (flags.json) printJson({ error: { code, message } })
      else print(message)
    }
    talk.say(talk.colors.dim(`watching ${flags.extract}; stop with Ctrl-C`))
  }
}

const factsOf = ({ page, wasKept }: PageTrial, { maker, records, whyNothing }: Trial) => ({
  url: page.url,
  final_url: page.finalUrl,
  status: page.status,
  fetched_at: new Date(page.endedAt).toISOString(),
  kept: wasKept,
  scraper: maker,
  records,
  ...(whyNothing !== null && { why_nothing: whyNothing }),
})

/** Removes the hint to run `kscrape try`, because this is that command. */
const withoutHint = (message: string): string => message.replace(/; kscrape try .*$/, '')

export function textsOf({ maker, records, whyNothing }: Trial): string[] {
  if (records.length === 0) return [`${maker}: ${safe(withoutHint(whyNothing ?? 'no record'))}`]
  return records.map((record, index) => textOf(record, `${maker}, record ${index + 1} of ${records.length}`))
}

function textOf({ data, provenance, warnings = [] }: Extracted, title: string): string {
  const sources = Object.entries(provenance)
  const width = Math.max(...sources.map(([field]) => field.length), 0)
  const lines = sources.map(([field, source]) => `  ${field.padEnd(width)}  ${safe(sourceText(source))}`)
  const warned = warnings.map(({ code, message }) => `  ${safe(message)} (${code})`)
  const record = [`${title}:`, JSON.stringify(data, null, 2), 'sources:', ...lines]
  return [...record, ...(warned.length > 0 ? ['warnings:', ...warned] : []), ''].join('\n')
}
