// Tests kscrape serve and kscrape keys as programs: their output, and how they stop.
import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { test } from 'node:test'
import { eventually } from '../../support/eventually.ts'
import { type Running, Workplace } from '../run-cli.ts'

interface Greeting {
  url: string
  docs: string
  api_key_file?: string
}

/** Reads the first output of `serve --json`. */
async function greeting(running: Running): Promise<Greeting> {
  const ended = running.ended.then(({ stderr }) => Promise.reject(new Error(`serve ended: ${stderr}`)))
  const said = new Promise<Greeting>(resolve => {
    const look = () => {
      const line = running
        .stderr()
        .split('\n')
        .find(text => text.includes('"url"'))
      if (line) resolve(JSON.parse(line) as Greeting)
    }
    running.child.stderr?.on('data', look)
    look()
  })
  return Promise.race([said, ended])
}

const headers = (key: string) => ({ 'x-api-key': key, 'content-type': 'application/json' })

test('serve prints its address, the address of its docs and the first key, and a signal stops it cleanly', async () => {
  await using place = await Workplace.open()
  const running = place.start(['serve', '--port', '0', '--json'])
  const { url, docs, api_key_file: file } = await greeting(running)
  assert.equal((await stat(file!)).mode & 0o777, 0o600)
  const key = (await readFile(file!, 'utf8')).trim()
  assert.equal((await fetch(docs)).status, 200)
  assert.equal((await fetch(`${url}/jobs`, { headers: headers(key) })).status, 200)
  running.child.kill('SIGTERM')
  const { code, stdout, stderr } = await running.ended
  assert.equal(code, 0)
  for (const line of stdout.trim().split('\n')) assert.ok(JSON.parse(line).timestamp, line)
  // Neither stdout nor stderr is a terminal, so both may be stored in a log.
  assert.ok(!stdout.includes(key) && !stderr.includes(key))
})

test('if serve may not or cannot listen on an address, the error says why', async () => {
  await using place = await Workplace.open()
  const open = await place.start(['serve', '--host', '0.0.0.0', '--port', '0']).ended
  assert.equal(open.code, 2)
  assert.match(open.stderr, /SCRAPER_API_KEY/)
})

test('keys are created, listed and revoked while a service runs', async () => {
  await using place = await Workplace.open()
  const running = place.start(['serve', '--port', '0', '--json'])
  const { url } = await greeting(running)
  const made = await place.start(['keys', 'create', '--name', 'reader', '--scope', 'read', '--json']).ended
  const { key, key_id } = JSON.parse(made.stdout) as { key: string; key_id: string }
  const status = async () => (await fetch(`${url}/jobs`, { headers: headers(key) })).status
  assert.equal(await status(), 200)
  const listed = await place.start(['keys', 'list']).ended
  assert.match(listed.stdout, /reader/)
  assert.ok(!listed.stdout.includes(key))
  await place.start(['keys', 'revoke', key_id]).ended
  await eventually('the key to be refused', async () => (await status()) === 401)
  running.child.kill('SIGTERM')
  await running.ended
})
