// Tests the program that runs the commands of documents: it finds commands that fail, and says where they are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hiddenCommands, scriptOf } from '../ci/docs-check/commands.ts'
import { runPage } from '../ci/docs-check/run-page.ts'

const fenced = (mark: string, text: string): string => `\`\`\`${mark}\n${text}\n\`\`\`\n`
const page = (...blocks: string[]) => ({ path: 'docs/tried.md', text: `# Tried\n\n${blocks.join('\n')}` })
const run = (...blocks: string[]) => runPage(scriptOf(page(...blocks)), { isAlone: false, limitMs: 30_000 })

test('all commands of a page run in one shell, files are written to the paths shown, and the output must match', async () => {
  const ended = await run(
    fenced('sh', 'NAME=Ada'),
    fenced('yaml file=rules/who.yaml', 'fields: { name: h1 }'),
    fenced('sh', 'echo "hello $NAME, $(cat rules/who.yaml)"'),
    fenced('text output', 'hello …, fields: { name: h1 }'),
    fenced('sh exit=4', 'exit 4'),
    fenced('sh', 'test "$NAME" = Ada'),
  )
  assert.equal(ended.trouble, null, ended.trouble ?? '')
  assert.equal(ended.ran, 4)
})

test('URLs in the documents are replaced by those of a running site and service', async () => {
  const ended = await run(
    fenced(
      'sh',
      'curl -fsS https://example.com/about -o about.html\ncurl -fsS http://127.0.0.1:8080/about -o again.html',
    ),
    fenced(
      'sh',
      'curl -fsS https://kscrape.example/healthz; curl -fsS "$SERVER/me" -H "Authorization: Bearer $KEY"',
    ),
    fenced('text output', '"status":"ok"\n"workspace":"default"'),
  )
  assert.equal(ended.trouble, null, ended.trouble ?? '')
})

test('the runner waits until the server of a page is ready, and stops the server at the end of the page', async () => {
  const serve = `node -e "require('http').createServer((q, r) => r.end('here')).listen(process.env.SCRAPER_PORT, '127.0.0.1')"`
  const ended = await run(
    fenced('sh background', serve),
    fenced('sh', 'curl -fsS "http://127.0.0.1:$SCRAPER_PORT/"'),
    fenced('text output', 'here'),
  )
  assert.equal(ended.trouble, null, ended.trouble ?? '')
})

test('a failed command is reported with its page, its line and its output', async () => {
  const { trouble } = await run(
    fenced('sh', 'true'),
    fenced('sh', 'echo "no such thing" >&2; false'),
    fenced('sh', 'true'),
  )
  assert.match(trouble!, /^docs\/tried\.md:7 ended with 1\n +no such thing/)
})

test('a command that fails in the middle of a pipe or of a block is reported', async () => {
  assert.match((await run(fenced('sh', 'false | cat'))).trouble!, /ended with 1/)
  assert.match((await run(fenced('sh', 'false\ntrue'))).trouble!, /ended with 1/)
  assert.match((await run(fenced('sh exit=4', 'exit 3'))).trouble!, /ended with 3, not 4/)
})

test('if a command does not print the output that the document shows, this is reported', async () => {
  const { trouble } = await run(fenced('sh', 'echo one'), fenced('text output', 'two'))
  assert.match(trouble!, /docs\/tried\.md:3: the output lacks a line that the page shows: two/)
})

test('a command that hangs is killed at a time limit', async () => {
  const script = scriptOf(page(fenced('sh', 'sleep 600')))
  // Long enough for a shell to reach the command on a busy machine.
  const { trouble } = await runPage(script, { isAlone: false, limitMs: 4_000 })
  assert.match(trouble!, /docs\/tried\.md:3 was not done after 4 s/)
})

test('a block marked as not run is counted with its reason, and an invalid reason is refused', async () => {
  const { ran, leftOut } = await run(
    fenced('sh not-run: needs Docker', 'docker ps'),
    fenced('sh alone', 'make run'),
  )
  assert.equal(ran, 0)
  assert.deepEqual(
    leftOut.map(({ reason }) => reason),
    ['needs Docker', 'runs by itself, in `make docs-check`'],
  )
  assert.throws(
    () => scriptOf(page(fenced('sh not-run:', 'docker ps'))),
    /docs\/tried\.md:3: "not-run:" is no mark/,
  )
  assert.throws(() => scriptOf(page(fenced('sh quietly', 'ls'))), /"quietly" is no mark/)
})

test('commands in a block without the mark sh are reported', () => {
  const hidden = page(
    fenced('', 'kscrape jobs list'),
    fenced('text', '$ curl -fsS http://127.0.0.1'),
    fenced('text', 'a b c'),
  )
  assert.equal(hiddenCommands(hidden).length, 2)
})
