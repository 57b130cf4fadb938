// What is written is done: the commands of every page run as they stand. `make docs-check` runs those that want the machine for themselves, too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandsOf, scriptOf } from '../ci/docs-check/commands.ts'
import { readPages } from '../ci/docs-check/markdown.ts'
import { runPage } from '../ci/docs-check/run-page.ts'

/** The slowest page starts the program thirty times. */
const pageLimitMs = 150_000

/** Commands of examples are run by system/examples.test.ts, which looks at what comes of them. */
const isElsewhere = (path: string): boolean => path.startsWith('examples/')

const scripts = readPages()
  .filter(({ path }) => !isElsewhere(path))
  .map(scriptOf)
  .filter(script => commandsOf(script).some(({ reason }) => reason === null))

// A few at a time: most of a page is waiting for a program to start.
test('documents', { concurrency: 2 }, async documents => {
  await Promise.all(
    scripts.map(script =>
      documents.test(`the commands of ${script.page} run as they stand`, async () => {
        const { trouble } = await runPage(script, { isAlone: false, limitMs: pageLimitMs })
        assert.equal(trouble, null, trouble ?? '')
      }),
    ),
  )
})
