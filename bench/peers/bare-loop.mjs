// The upper bound: undici, a parser and a set of seen URLs, without robots.txt, retries or a store. ORIGIN OUT PARSER THREADS
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Pool } from 'undici'
import { openLines } from './lines.mjs'

const connections = 8

/** Fetches and parses the given URLs. `found` gets the number of finished pages, and links that were not reported before. */
async function openLane({ origin, out, parser }, found) {
  const { readPage } = await import(`./${parser}-page.mjs`)
  const pool = new Pool(origin, { connections })
  const lines = openLines(out)
  const seen = new Set([`${origin}/`])
  const todo = []
  let running = 0

  const start = () => {
    while (running < connections && todo.length > 0) {
      running++
      fetchPage(pool, origin, todo.pop(), finish)
    }
  }
  const finish = (url, html) => {
    running--
    const { record, links } = readPage(url, html)
    lines.add(record)
    found(links.filter(isNew))
    start()
  }
  const isNew = url => !seen.has(url) && seen.add(url)

  return {
    give(urls) {
      todo.push(...urls)
      start()
    },
    isIdle: () => todo.length === 0,
    async close() {
      lines.close()
      await pool.close()
    },
  }
}

function fetchPage(pool, origin, url, done) {
  const chunks = []
  pool.dispatch(
    { path: url.slice(origin.length), method: 'GET' },
    {
      onRequestStart() {},
      onResponseStart(_, status) {
        if (status !== 200) giveUp(`${url} answered ${status}`)
      },
      onResponseData: (_, chunk) => void chunks.push(chunk),
      onResponseEnd: () => done(url, Buffer.concat(chunks).toString('utf8')),
      onResponseError: (_, error) => giveUp(error),
    },
  )
}

/** An error in a handler of undici does not end the process, so this function does. */
function giveUp(problem) {
  console.error(problem)
  process.exit(1)
}

async function onOneThread(work) {
  let pending = 1
  const done = Promise.withResolvers()
  const lane = await openLane(work, fresh => {
    pending += fresh.length - 1
    lane.give(fresh)
    if (pending === 0) done.resolve()
  })
  lane.give([`${work.origin}/`])
  await done.promise
  await lane.close()
}

/** The main thread only holds the set of seen URLs, and distributes URLs to the other threads. */
async function onThreads(work, threads) {
  const seen = new Set([`${work.origin}/`])
  const lanes = Array.from({ length: threads }, () => new Worker(import.meta.filename, { workerData: work }))
  let pending = 1
  let turn = 0
  for (const lane of lanes) {
    lane.on('message', ({ urls, pages }) => {
      const fresh = urls.filter(url => !seen.has(url) && seen.add(url))
      pending += fresh.length - pages
      const share = Math.ceil(fresh.length / lanes.length)
      for (let at = 0; at < fresh.length; at += share)
        lanes[turn++ % lanes.length].postMessage(fresh.slice(at, at + share))
      if (pending === 0) for (const each of lanes) each.postMessage(null)
    })
  }
  lanes[0].postMessage([...seen])
}

async function workAsLane() {
  let urls = []
  let pages = 0
  const report = () => {
    parentPort.postMessage({ urls, pages })
    urls = []
    pages = 0
  }
  const lane = await openLane(workerData, fresh => {
    urls.push(...fresh)
    pages++
    if (pages === 16 || lane.isIdle()) report()
  })
  parentPort.on('message', given => {
    if (given !== null) return lane.give(given)
    parentPort.close()
    lane.close()
  })
}

if (isMainThread) {
  const [origin, out, parser, threads] = process.argv.slice(2)
  const work = { origin, out, parser }
  await (threads === '1' ? onOneThread(work) : onThreads(work, Number(threads)))
} else await workAsLane()
