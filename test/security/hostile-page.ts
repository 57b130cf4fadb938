// A page that tries to reach internal addresses with every feature of a browser, each attempt under its own path.

interface Attempt {
  name: string
  /** Markup for the head or the body of the page. */
  markup?: (inside: string) => string
  /** Script that runs when the page has loaded. */
  script?: (inside: string) => string
  /** The form in which the proxy sees the request. */
  seenAs: RegExp
}

const path = (name: string) => new RegExp(`/${name}$`)
/** In a tunnel, the proxy sees only host and port. */
const tunnel = /^https:\/\/127\.0\.0\.1:\d+\/$/

const inMarkup = (name: string, markup: (url: string) => string): Attempt => ({
  name,
  markup: inside => markup(`http://${inside}/${name}`),
  seenAs: path(name),
})

const inScript = (name: string, script: (url: string) => string): Attempt => ({
  name,
  script: inside => script(`http://${inside}/${name}`),
  seenAs: path(name),
})

export const attempts: Attempt[] = [
  inMarkup('img', url => `<img src="${url}">`),
  inMarkup('srcset', url => `<img srcset="${url} 1x">`),
  inMarkup('script', url => `<script src="${url}" async></script>`),
  inMarkup('module', url => `<script type="module" src="${url}"></script>`),
  inMarkup('stylesheet', url => `<link rel="stylesheet" href="${url}">`),
  inMarkup('css-import', url => `<style>@import url("${url}");</style>`),
  inMarkup('css-image', url => `<style>body { background-image: url("${url}") }</style>`),
  inMarkup(
    'css-font',
    url => `<style>@font-face { font-family: f; src: url("${url}") } p { font-family: f }</style><p>text</p>`,
  ),
  inMarkup('iframe', url => `<iframe src="${url}"></iframe>`),
  inMarkup(
    'frame-refresh',
    url => `<iframe srcdoc='<meta http-equiv=refresh content="0;url=${url}">'></iframe>`,
  ),
  inMarkup('object', url => `<object data="${url}"></object>`),
  inMarkup('embed', url => `<embed src="${url}">`),
  inMarkup('video', url => `<video src="${url}" preload="auto"></video>`),
  inMarkup('poster', url => `<video poster="${url}"></video>`),
  inMarkup('audio', url => `<audio src="${url}" preload="auto"></audio>`),
  inMarkup('preload', url => `<link rel="preload" as="image" href="${url}">`),
  inMarkup('prefetch', url => `<link rel="prefetch" href="${url}">`),
  inMarkup('modulepreload', url => `<link rel="modulepreload" href="${url}">`),
  inMarkup('svg-image', url => `<svg><image href="${url}" width="9" height="9"/></svg>`),
  inMarkup(
    'form',
    url =>
      `<iframe name="sink"></iframe><form id="form" method="post" target="sink" action="${url}"><input name="a"></form>`,
  ),
  inScript(
    'form-get',
    url =>
      `const form = document.createElement('form'); form.action = '${url}'; form.target = 'sink2'; form.method = 'post'; document.body.append(Object.assign(document.createElement('iframe'), { name: 'sink2' }), form); form.submit()`,
  ),
  inScript('fetch', url => `fetch('${url}', { mode: 'no-cors' }).catch(() => {})`),
  inScript('fetch-keepalive', url => `fetch('${url}', { mode: 'no-cors', keepalive: true }).catch(() => {})`),
  inScript(
    'xhr',
    url => `const request = new XMLHttpRequest(); request.open('GET', '${url}'); request.send()`,
  ),
  inScript('event-source', url => `new EventSource('${url}')`),
  inScript('beacon', url => `navigator.sendBeacon('${url}', 'x')`),
  inScript('image-object', url => `new Image().src = '${url}'`),
  inScript('dynamic-import', url => `import('${url}').catch(() => {})`),
  inScript(
    'worker-fetch',
    url =>
      `new Worker(URL.createObjectURL(new Blob(["fetch('${url}', { mode: 'no-cors' }).catch(() => {})"])))`,
  ),
  inScript(
    'blob-frame',
    url =>
      `document.body.append(Object.assign(document.createElement('iframe'), { src: URL.createObjectURL(new Blob(['<img src=\\"${url}\\">'], { type: 'text/html' })) }))`,
  ),
  inScript(
    'data-frame',
    url =>
      `document.body.append(Object.assign(document.createElement('iframe'), { src: 'data:text/html,<img src=\\"${url}\\">' }))`,
  ),
  { name: 'websocket', script: inside => `new WebSocket('ws://${inside}/websocket')`, seenAs: tunnel },
  {
    name: 'secure websocket',
    script: inside => `new WebSocket('wss://${inside}/websocket')`,
    seenAs: tunnel,
  },
  { name: 'https', markup: inside => `<img src="https://${inside}/https">`, seenAs: tunnel },
  {
    name: 'a name that leads inside',
    markup: inside => `<img src="http://rebind.example.com:${inside.split(':')[1]}/named">`,
    seenAs: path('named'),
  },
  {
    name: 'a decimal address',
    markup: inside => `<img src="http://2130706433:${inside.split(':')[1]}/decimal">`,
    seenAs: path('decimal'),
  },
  {
    name: 'IPv6 in disguise',
    markup: inside => `<img src="http://[::ffff:7f00:1]:${inside.split(':')[1]}/mapped">`,
    seenAs: path('mapped'),
  },
  {
    name: 'localhost',
    markup: inside => `<img src="http://localhost:${inside.split(':')[1]}/localhost">`,
    seenAs: path('localhost'),
  },
]

/** Attempts that leave no trace at the proxy, because the browser refuses them or only opens a connection in advance. */
const silent = (inside: string) => `
<link rel="preconnect" href="http://${inside}"><link rel="dns-prefetch" href="//${inside}"><link rel="preconnect" href="http://10.0.0.1">
<iframe src="file:///etc/passwd"></iframe><iframe src="chrome://version"></iframe><iframe src="view-source:http://${inside}/"></iframe>
<img src="ftp://${inside}/ftp"><a id="ping" href="#" ping="http://${inside}/ping">ping</a>`

/** `#done` appears when every attempt was started and the browser has had time for them. */
export function hostilePage(inside: string): string {
  const markup = attempts.flatMap(attempt => attempt.markup?.(inside) ?? [])
  const scripts = attempts.flatMap(attempt => attempt.script?.(inside) ?? [])
  return `<!DOCTYPE html><html><head><title>Hostile</title></head><body>
${markup.join('\n')}
${silent(inside)}
<script>
const tries = ${JSON.stringify(scripts).replaceAll('<', '\\u003c')}
addEventListener('load', () => {
  document.querySelector('#form').submit()
  document.querySelector('#ping').click()
  window.open('http://${inside}/window-open')
  for (const code of tries) { try { (0, eval)('{' + code + '}') } catch (error) { console.log(String(error)) } }
  setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<b id="done"></b>'), 1500)
})
</script></body></html>`
}
