// Tests the recording of pages that send more than an archive may hold.
import assert from 'node:assert/strict'
import test from 'node:test'
import { Connection, type Session } from './connection.ts'
import { TrafficRecorder } from './traffic-recorder.ts'

const upload = Buffer.alloc(1_000, 'x').toString('base64')

function send(session: Session, n: number, bytes = upload): void {
  const request = { url: `http://a.example/${n}`, method: 'POST', headers: {}, hasPostData: true }
  session.dispatch('Network.requestWillBeSentExtraInfo', { requestId: `r${n}`, headers: {} })
  session.dispatch('Network.requestWillBeSent', {
    ...{ requestId: `r${n}`, wallTime: 1, type: 'Fetch' },
    request: { ...request, postDataEntries: [{ bytes }] },
  })
}

async function opened(maxBytes: number) {
  let connection: Connection
  // A fake browser that accepts every command.
  connection = new Connection(text =>
    connection.receive(JSON.stringify({ id: JSON.parse(text).id, result: {} })),
  )
  const session = connection.session('page')
  const recorder = new TrafficRecorder(session)
  await recorder.begin({ maxBytes })
  return { session, recorder }
}

test('request bodies count towards the limit of an archive', async () => {
  const { session, recorder } = await opened(10_000)
  for (let n = 0; n < 100; n++) {
    send(session, n)
    session.dispatch('Network.responseReceived', {
      requestId: `r${n}`,
      response: { status: 200, headers: {} },
    })
    session.dispatch('Network.loadingFinished', { requestId: `r${n}` })
  }
  const { exchanges, skipped } = (await recorder.finish())!
  assert.equal(
    exchanges.reduce((sum, { requestBody }) => sum + requestBody!.length, 0),
    10_000,
  )
  assert.equal(skipped.length, 90)
  assert.match(skipped[0]!.why, /archive_max_bytes/)
})

test('a page that sends requests forever is recorded up to a limit of requests', async () => {
  const { session, recorder } = await opened(1_000_000_000)
  for (let n = 0; n < 30_000; n++) send(session, n, '')
  const { skipped } = (await recorder.finish())!
  assert.ok(skipped.length <= 1_000)
})
