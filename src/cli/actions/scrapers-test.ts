// The actions of `scrapers test` and `scrapers certify`, and the printed findings.
import { loadSettings } from '../../config/load.ts'
import { formatDuration } from '../../lib/text/units.ts'
import { Failure } from '../../model/failures.ts'
import type { Json } from '../../model/record.ts'
import { openCatalogue } from '../../roles/scrapers/catalogue.ts'
import { certify } from '../../roles/scrapers/certify.ts'
import { recordCase } from '../../roles/scrapers/record-case.ts'
import type { Difference } from '../../roles/scrapers/record-diff.ts'
import { type CaseResult, testScrapers } from '../../roles/scrapers/test-scrapers.ts'
import { exitCodes } from '../exit-codes.ts'
import { endWith } from '../fail.ts'
import { fetchSpecOf, settingsOf } from '../flags/flag-spec.ts'
import type { CommonFlags, FetchFlags } from '../flags/flags.ts'
import { print, printJson } from '../print.ts'
import { safe, type Talk, talkOn } from '../talk.ts'

interface TestFlags extends FetchFlags {
  builtin?: boolean
  update?: boolean
  record?: string
  scraper?: string
  case?: string
}

export async function testScrapersWith(ids: string[], flags: TestFlags): Promise<void> {
  if (flags.record !== undefined) return recordWith(flags.record, flags)
  const catalogue = await openCatalogue((await loadSettings(settingsOf(flags))).root)
  const talk = talkOn(process.stdout, flags)
  const results: CaseResult[] = []
  for await (const result of testScrapers(catalogue, { ids, ...optionsOf(flags) })) {
    results.push(result)
    if (flags.json) printJson(result)
    else if (!flags.quiet || isWrong(result)) show(result, talk)
  }
  if (!flags.json && !flags.quiet) print(sumOf(results))
  process.exitCode = exitCodeOf(results)
  for (const { failure } of catalogue.broken) endWith(failure, Boolean(flags.json))
}

const optionsOf = ({ update, builtin }: TestFlags) => ({ update: Boolean(update), builtin: Boolean(builtin) })

const isWrong = ({ verdict }: CaseResult): boolean => verdict !== 'same' && verdict !== 'updated'

function exitCodeOf(results: CaseResult[]): number {
  if (results.length === 0) return exitCodes.nothing
  return results.some(isWrong) ? exitCodes.someFailed : exitCodes.ok
}

function sumOf(results: CaseResult[]): string {
  if (results.length === 0)
    return 'no golden pages yet: `kscrape scrapers new NAME` writes a scraper that has one, `test --record` stores a real run, `test --builtin` runs the built-in golden pages'
  const wrong = results.filter(isWrong).length
  const cases = `${results.length} ${results.length === 1 ? 'case' : 'cases'}`
  return wrong === 0 ? `${cases}, all as expected` : `${cases}, ${wrong} not as expected`
}

function show(result: CaseResult, { colors }: Talk): void {
  print(`${marks(colors)[result.verdict]} ${result.name}${lineEnd(result, colors)}`)
  if (isWrong(result)) for (const difference of result.differences) showDifference(difference, colors)
}

const marks = (colors: Talk['colors']): Record<CaseResult['verdict'], string> => ({
  same: colors.green('✔'),
  updated: colors.yellow('✎'),
  differs: colors.red('✗'),
  failed: colors.red('✗'),
  unknown: colors.red('?'),
})

function lineEnd({ verdict, note, ms }: CaseResult, colors: Talk['colors']): string {
  if (verdict === 'updated') return ' updated'
  if (verdict === 'same') return ` ${colors.dim(formatDuration(Math.ceil(ms)))}`
  return note ? `: ${safe(note)}` : ''
}

function showDifference({ path, expected, actual }: Difference, colors: Talk['colors']): void {
  const line = (value: Json) => `${path ? `${path}: ` : ''}${safe(JSON.stringify(value))}`
  if (expected !== undefined) print(colors.red(`    - ${line(expected)}`))
  if (actual !== undefined) print(colors.green(`    + ${line(actual)}`))
}

async function recordWith(target: string, flags: TestFlags): Promise<void> {
  if (!flags.scraper) throw new Failure('input.invalid', '--record needs --scraper, the scraper to run')
  const talk = talkOn(process.stderr, flags)
  const stop = new AbortController()
  const stopOnce = () => stop.abort()
  process.once('SIGINT', stopOnce).once('SIGTERM', stopOnce)
  try {
    const done = await recordCase({
      loaded: await loadSettings(settingsOf(flags)),
      target,
      scraperId: flags.scraper,
      name: flags.case,
      replace: Boolean(flags.update),
      spec: fetchSpecOf(flags),
      stop: stop.signal,
    })
    talk.tell({ case: done.name, exchanges: done.exchanges, records: done.records, same: done.isSame })
    talk.say(`stored ${done.name}: ${done.exchanges} exchanges, ${done.records} records, secrets removed`)
    if (!done.isSame)
      talk.say(
        '  the replay gives other records than the run, because removed secrets are part of them; check record.json',
      )
  } catch (error) {
    if (!stop.signal.aborted) throw error
    talk.say('stopped; nothing was stored')
    process.exitCode = exitCodes.interrupted
  } finally {
    process.off('SIGINT', stopOnce).off('SIGTERM', stopOnce)
  }
}

export async function certifyScraper(id: string, flags: CommonFlags): Promise<void> {
  const certificate = await certify(await openCatalogue((await loadSettings()).root), id)
  const { colors } = talkOn(process.stdout, flags)
  if (flags.json) printJson({ id, ...certificate })
  else {
    for (const { name, passed, note } of certificate.checks)
      print(`${passed ? colors.green('✔') : colors.red('✗')} ${name.padEnd(12)} ${safe(note)}`)
    print(
      certificate.passed
        ? `${id}@${certificate.version} is certified`
        : `${id}@${certificate.version} is not certified`,
    )
  }
  process.exitCode = certificate.passed ? exitCodes.ok : exitCodes.someFailed
}
