// Kinds of pages that load content after their load event. A page is complete if its HTML has all `marks` of its kind.

export interface Kind {
  name: string
  /** The body, sent at once, or in chunks with a pause in ms before each. */
  body: string | Array<{ afterMs: number; html: string }>
  /** Texts that the HTML must contain. Scripts assemble them, so that the source of the script does not match. */
  marks: string[]
}

const mark = 'content-complete'
/** JavaScript for the page that evaluates to `mark`. The source itself does not contain the text of `mark`. */
const said = `'content-' + 'complete'`
const root = '<div id="root"></div>'
const menu = '<header>Shop, about us, contact: a line of text that is there from the start</header>'
const script = (code: string) => `<script>${code}</script>`
const fill = `document.getElementById('root').innerHTML = '<h1>Lamps</h1><p>' + ${said} + '</p>'`
/** Appends rows `from` to `to` to the list. */
const rows = (from: string, to: string) =>
  `for (let at = ${from}; at < ${to}; at++) { const row = document.createElement('li'); row.textContent = 'row-' + at + '-shown'; list.append(row) }`
const skeleton = '<div class="skeleton" style="height:40px;width:300px"></div>'

const kind = (name: string, body: Kind['body'], marks: string[] = [mark]): Kind => ({ name, body, marks })

export const kinds: Kind[] = [
  kind('static HTML', `<p>${mark}</p>`),
  kind('one fetch', root + script(`fetch('/slow').then(r => r.json()).then(() => { ${fill} })`)),
  kind(
    'two chained fetches of 400 ms',
    root + script(`fetch('/slow?ms=400').then(() => fetch('/slow?ms=400&b')).then(() => { ${fill} })`),
  ),
  kind(
    'five chained fetches, menu shown',
    menu +
      root +
      script(
        `(async () => { for (let n = 0; n < 5; n++) await (await fetch('/slow?ms=150&n=' + n)).json(); ${fill} })()`,
      ),
  ),
  kind(
    'timer of 120 ms, then fetch',
    root + script(`setTimeout(() => fetch('/slow').then(() => { ${fill} }), 120)`),
  ),
  kind(
    'timer of 500 ms, then fetch',
    root + script(`setTimeout(() => fetch('/slow').then(() => { ${fill} }), 500)`),
  ),
  kind('timer of 2 s, menu shown', menu + root + script(`setTimeout(() => { ${fill} }, 2000)`)),
  kind(
    'skeleton for 1.5 s',
    `${menu}<div id="root">${skeleton}</div>${script(`fetch('/slow?ms=1500').then(() => { ${fill} })`)}`,
  ),
  kind(
    'spinner behind a worker',
    `${menu}<div id="root"><div role="progressbar" style="height:20px;width:200px"></div></div>` +
      script(
        `const worker = new Worker(URL.createObjectURL(new Blob(['setTimeout(() => postMessage(1), 900)']))); worker.onmessage = () => { ${fill} }`,
      ),
  ),
  kind('streamed HTML', [
    { afterMs: 0, html: `<p>First part of the page.</p>` },
    { afterMs: 400, html: '<p>Second part.</p>' },
    { afterMs: 400, html: `<p>${mark}</p>` },
  ]),
  kind('Suspense streaming', [
    { afterMs: 0, html: `${menu}<div id="root"><div id="B:0" class="fallback">…</div></div>` },
    {
      afterMs: 700,
      html: `<div hidden id="S:0"><p id="late"></p></div>${script(`late.textContent = ${said}; document.getElementById('B:0').replaceWith(...document.getElementById('S:0').childNodes)`)}`,
    },
  ]),
  kind(
    'client-side router',
    `<nav><a href="/a">A</a></nav>${root}${script(
      `const show = () => fetch('/slow?' + location.search).then(r => r.text()).then(() => { ${fill} }); addEventListener('popstate', show); setTimeout(() => { history.replaceState({}, '', '?view=1&kind=router'); show() }, 50)`,
    )}`,
  ),
  kind(
    'redirect by script',
    script(`setTimeout(() => location.replace('/kind/static-html?from=redirect'), 100)`),
  ),
  kind(
    'WebSocket that brings the content',
    root + script(`new WebSocket('ws://' + location.host + '/socket?ms=500').onmessage = () => { ${fill} }`),
  ),
  kind(
    'WebSocket that stays open',
    root +
      script(`new WebSocket('ws://' + location.host + '/socket'); fetch('/slow').then(() => { ${fill} })`),
  ),
  kind(
    'event stream that brings the content',
    root + script(`new EventSource('/stream?ms=500').onmessage = () => { ${fill} }`),
  ),
  kind(
    'event stream that stays open',
    root + script(`new EventSource('/stream'); fetch('/slow').then(() => { ${fill} })`),
  ),
  kind(
    'endless polling',
    root +
      script(
        `const poll = () => fetch('/slow?ms=50&poll').then(() => setTimeout(poll, 100)); poll(); fetch('/slow?ms=600').then(() => { ${fill} })`,
      ),
  ),
  kind(
    'long poll that hangs',
    menu + root + script(`fetch('/hangs'); fetch('/slow').then(() => { ${fill} })`),
  ),
  kind(
    'slow web font',
    `<style>@font-face { font-family: slow; src: url(/slow.woff2?ms=1500) } body { font-family: slow }</style><p>Text</p>${root}${script(`document.fonts.load('16px slow').catch(() => {}).then(() => { ${fill} })`)}`,
  ),
  kind(
    'hydration that replaces the DOM',
    `<div id="root"><p>Server text that is there from the start.</p></div>${script(
      `setTimeout(() => { document.getElementById('root').innerHTML = ''; fetch('/slow').then(() => { ${fill} }) }, 150)`,
    )}`,
  ),
  kind(
    'consent wall over late content',
    `<div id="wall" style="position:fixed;inset:0;background:#fff"><h2>We value your privacy</h2><p>Accept the cookies to go on reading.</p><button>Accept</button></div>${root}${script(`fetch('/slow?ms=500').then(() => { ${fill} })`)}`,
  ),
  kind(
    'custom element, defined late',
    `<late-card></late-card>${script(
      `setTimeout(() => customElements.define('late-card', class extends HTMLElement { connectedCallback() { fetch('/slow').then(() => { this.textContent = ${said} }) } }), 200)`,
    )}`,
  ),
  kind(
    'shadow DOM filled by a fetch',
    `${menu}<shadow-card></shadow-card>${script(
      `customElements.define('shadow-card', class extends HTMLElement { connectedCallback() { const shadow = this.attachShadow({ mode: 'open' }); fetch('/slow').then(() => { shadow.innerHTML = '<p>card</p>'; this.append(${said}) }) } })`,
    )}`,
  ),
  kind(
    'iframe that reports to its page',
    `<iframe src="/frame" width="100" height="50"></iframe>${root}${script(`addEventListener('message', () => { ${fill} })`)}`,
  ),
  kind(
    'late script',
    root +
      script(
        `const s = document.createElement('script'); s.src = '/late.js?ms=700'; document.head.append(s)`,
      ),
  ),
  kind(
    'module scripts that import each other',
    `${root}<script type="module">import('/module.js?ms=300').then(() => { ${fill} })</script>`,
  ),
  kind(
    'deferred script after a slow style sheet',
    `<link rel="stylesheet" href="/slow.css?ms=500">${root}<script defer src="/late.js?ms=100"></script>`,
  ),
  kind(
    'service worker registered first',
    root +
      script(
        `const go = () => fetch('/slow').then(() => { ${fill} }); navigator.serviceWorker ? navigator.serviceWorker.register('/worker.js').then(go, go) : go()`,
      ),
  ),
  kind(
    'requestIdleCallback',
    root +
      script(`requestIdleCallback(() => fetch('/slow').then(() => requestIdleCallback(() => { ${fill} })))`),
  ),
  kind(
    'animation frames before the fetch',
    root +
      script(
        `let n = 0; const step = () => ++n < 12 ? requestAnimationFrame(step) : fetch('/slow').then(() => { ${fill} }); step()`,
      ),
  ),
  kind(
    'MutationObserver',
    `<i id="flag"></i>${root}${script(
      `new MutationObserver(() => fetch('/slow').then(() => { ${fill} })).observe(flag, { attributes: true }); setTimeout(() => flag.setAttribute('data-on', '1'), 250)`,
    )}`,
  ),
  kind(
    'IntersectionObserver in view',
    `<p>Top</p>${root}${script(
      `new IntersectionObserver((entries, observer) => { observer.disconnect(); fetch('/slow').then(() => { ${fill} }) }).observe(document.getElementById('root'))`,
    )}`,
  ),
  kind(
    'list in batches',
    `<ul id="list"></ul>${script(
      `const more = n => { ${rows('n', 'n + 10')} if (n < 40) setTimeout(() => more(n + 10), 80) }; fetch('/slow').then(() => more(0))`,
    )}`,
    ['row-0-shown', 'row-49-shown'],
  ),
  kind(
    'infinite list',
    `<ul id="list"></ul><div id="end" style="height:10px"></div>${script(
      `let n = 0; new IntersectionObserver(([entry]) => { if (entry.isIntersecting && n < 200) fetch('/slow?ms=100&n=' + n).then(() => { ${rows('n', 'n + 20')} n += 20 }) }).observe(end)`,
    )}`,
    ['row-0-shown', 'row-19-shown'],
  ),
  kind(
    'analytics beacons without end',
    root +
      script(
        `setInterval(() => navigator.sendBeacon('/collect', 'x'), 60); setInterval(() => { new Image().src = '/pixel.gif?' + Math.random() }, 80); fetch('/slow?ms=500').then(() => { ${fill} })`,
      ),
  ),
  kind(
    'ads that never finish',
    `${menu}<iframe src="/hangs" width="300" height="100"></iframe><script async src="/hangs?ad"></script>${root}${script(`fetch('/slow').then(() => { ${fill} })`)}`,
  ),
  kind(
    'animation and clock without end',
    `<p id="clock">0</p>${root}${script(
      `const tick = () => { clock.textContent = String(performance.now()); requestAnimationFrame(tick) }; tick(); fetch('/slow?ms=400').then(() => { ${fill} })`,
    )}`,
  ),
  kind(
    'long tasks',
    root +
      script(
        `const work = ms => { const until = performance.now() + ms; while (performance.now() < until); }; work(300); setTimeout(() => { work(400); fetch('/slow').then(() => { work(200); ${fill} }) }, 50)`,
      ),
  ),
  kind(
    'JSONP',
    root +
      script(
        `window.got = () => { ${fill} }; setTimeout(() => { const s = document.createElement('script'); s.src = '/jsonp.js?ms=400'; document.body.append(s) }, 50)`,
      ),
  ),
  kind('document.write', `${menu}${script(`document.write('<p>' + ${said} + '</p>')`)}`),
  kind(
    'XMLHttpRequest after load',
    menu +
      root +
      script(
        `addEventListener('load', () => { const x = new XMLHttpRequest(); x.open('GET', '/slow'); x.onload = () => { ${fill} }; x.send() })`,
      ),
  ),
  kind(
    'GraphQL POSTs to one address',
    root +
      script(
        `const ask = query => fetch('/slow?ms=200', { method: 'POST', body: query }).then(r => r.json()); (async () => { for (const query of ['viewer', 'menu', 'list', 'detail']) await ask(query); ${fill} })()`,
      ),
  ),
  kind(
    'streamed response body',
    root +
      script(
        `fetch('/chunks').then(async r => { const reader = r.body.getReader(); while (!(await reader.read()).done); ${fill} })`,
      ),
  ),
  kind(
    'debounced rendering',
    `${menu}${root}${script(
      `let timer; const later = () => { clearTimeout(timer); timer = setTimeout(() => { ${fill} }, 250) }; for (const n of [1, 2, 3]) fetch('/slow?ms=' + n * 150).then(later)`,
    )}`,
  ),
  kind(
    'MessageChannel scheduler',
    root +
      script(
        `const { port1, port2 } = new MessageChannel(); let n = 0; port1.onmessage = () => { if (++n < 200) port2.postMessage(0); else fetch('/slow').then(() => { ${fill} }) }; port2.postMessage(0)`,
      ),
  ),
  kind(
    'images that are decoded first',
    `${root}${script(`const image = new Image(); image.src = '/slow.gif?ms=600'; image.decode().catch(() => {}).then(() => { ${fill} })`)}`,
  ),
  kind(
    'empty main element behind a long chain of timers',
    `${menu}<main id="root"></main>${script(
      `let n = 0; const step = () => { if (++n < 12) setTimeout(step, 100); else { ${fill} } }; step()`,
    )}`,
  ),
  kind(
    'pages of a list from one address',
    `${menu}<ul id="list"></ul>${script(
      `(async () => { for (let n = 0; n < 50; n += 10) { await (await fetch('/slow?ms=200&page=' + n)).json(); ${rows('n', 'n + 10')} } })()`,
    )}`,
    ['row-0-shown', 'row-49-shown'],
  ),
  kind(
    'GraphQL POSTs, box without a name',
    `${menu}<div data-box></div>` +
      script(
        `const ask = query => fetch('/slow?ms=200', { method: 'POST', body: query }).then(r => r.json()); (async () => { for (const query of ['viewer', 'menu', 'list', 'detail']) await ask(query); document.querySelector('[data-box]').textContent = ${said} })()`,
      ),
  ),
  kind(
    'rows added by an interval',
    `${menu}<ul id="list"></ul>${script(
      `let n = 0; const timer = setInterval(() => { ${rows('n', 'n + 1')} if (++n === 20) clearInterval(timer) }, 90)`,
    )}`,
    ['row-0-shown', 'row-19-shown'],
  ),
]

export const slugOf = ({ name }: Kind): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
