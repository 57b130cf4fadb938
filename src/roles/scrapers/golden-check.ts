// Checks proposed rules against a scraper's golden pages, like `scrapers test`.
import { dirname } from 'node:path'
import type { GoldenPages } from '../../extract/llm/proposed-rules.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import { expectationOf, findGoldenCases } from './golden-cases.ts'
import { type CaseResult, testCase } from './test-scrapers.ts'

/** Reads the golden pages from the folder of `scraperFiles`. Null if the scraper has no golden pages with expected
 *  records. */
export function goldenPagesOf(scraperFiles: readonly string[], scraper: Scraper): GoldenPages | null {
  const [file] = scraperFiles
  const cases = file ? findGoldenCases(dirname(file), scraper.id) : []
  const written = cases.filter(({ folder }) => expectationOf(folder) !== null)
  if (written.length === 0) return null
  return {
    count: written.length,
    async check(rules) {
      for (const golden of written) {
        const result = await testCase({ scraper: { ...scraper, rules } }, golden)
        if (result.verdict !== 'same') return differenceText(result)
      }
      return null
    },
  }
}

function differenceText({ name, differences: [first], note }: CaseResult): string {
  if (!first) return `golden page ${name}: ${note}`
  const { path, expected, actual } = first
  return `golden page ${name}: ${path} is ${JSON.stringify(actual ?? null)}, but ${JSON.stringify(expected ?? null)} is expected`
}
