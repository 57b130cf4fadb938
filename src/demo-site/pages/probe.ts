// A page that shows what a website can see of its client, and what looks suspicious.
import { file, page, type Reply, type Route, type Visit } from '../route.ts'
import { probeScript, probeWorker } from './probe-script.ts'

export const probeRoutes: Route[] = [
  { path: '/probe', answer: probe },
  { path: '/probe/headers', answer: visit => file('application/json', JSON.stringify(visit.headers)) },
  { path: '/probe/probe.js', answer: () => file('text/javascript; charset=utf-8', probeScript) },
  { path: '/probe/worker.js', answer: () => file('text/javascript; charset=utf-8', probeWorker) },
]

/** Client hints that browsers send only on request. */
const wantedHints =
  'Sec-CH-UA-Full-Version-List, Sec-CH-UA-Platform-Version, Sec-CH-UA-Arch, Sec-CH-UA-Bitness, Sec-CH-UA-Model'

function probe(visit: Visit): Reply {
  const headers = JSON.stringify(visit.headers).replaceAll('<', '\\u003c')
  const reply = page(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Probe</title><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"></head>
<body><h1>What a website sees of you</h1><pre id="seen"></pre>
<script type="application/json" id="headers">${headers}</script><script src="/probe/probe.js"></script></body></html>
`)
  return { ...reply, headers: { ...reply.headers, 'accept-ch': wantedHints, 'cache-control': 'no-store' } }
}
