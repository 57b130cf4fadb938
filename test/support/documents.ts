// Runs the commands of documents as tests: each page in its own shell, as `make docs-check` does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandsOf, scriptOf } from '../../ci/docs-check/commands.ts'
import { readPages } from '../../ci/docs-check/markdown.ts'
import { runPage } from '../../ci/docs-check/run-page.ts'

/** The pages of two test files, which run in parallel. documents-guides.nightly.test.ts runs all other pages. */
export const everyday = {
  service: [
    ...['api', 'fetch-api', 'monitors', 'politeness', 'schedules', 'scrape-api', 'search', 'security'],
    ...['uploads', 'webhooks'],
  ],
  program: ['cli', 'policies', 'scrapers'],
}

/** The slowest page starts the program thirty times. On a busy machine that took a minute and a half. */
const pageLimitMs = 400_000

export function testCommands(isChosen: (path: string) => boolean): void {
  const scripts = readPages()
    .filter(({ path }) => isChosen(path))
    .map(scriptOf)
    .filter(script => commandsOf(script).some(({ reason, isAlone }) => reason === null && !isAlone))
  // Two pages run at a time, because a page spends most of its time on the start of programs.
  test('documents', { concurrency: 2 }, async documents => {
    assert.ok(scripts.length > 0)
    await Promise.all(
      scripts.map(script =>
        documents.test(`the commands of ${script.page} run unchanged`, async () => {
          const { trouble } = await runPage(script, { isAlone: false, limitMs: pageLimitMs })
          assert.equal(trouble, null, trouble ?? '')
        }),
      ),
    )
  })
}
