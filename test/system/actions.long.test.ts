// Tests actions in a real Chromium, on the playground of the demo site.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { compileSelector, parseDocument, selectAll } from '../../src/extract/document/index.ts'
import type { DrivenContext } from '../../src/fetch/browser/driver.ts'
import { Failure } from '../../src/model/failures.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { act, type DrivenBrowser, openDrivenBrowser } from '../support/driven-context.ts'

let site: TestSite
let browser: DrivenBrowser
let context: DrivenContext

before(async () => {
  site = await startTestSite()
  browser = await openDrivenBrowser([`${site.host}:${site.port}`])
  context = await browser.openContext()
})
after(async () => {
  await browser[Symbol.asyncDispose]()
  await site.close()
})

const at = (path: string): string => `${site.url}${path}`

/** The texts of all elements that match a selector. */
const textsOf = (html: string, css: string): string[] => {
  const document = parseDocument(html)
  return [...selectAll(document, compileSelector(css))].map(node => document.text(node).trim())
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    () => null,
    reason => reason,
  )
  assert.ok(error instanceof Failure, String(error))
  return error
}

test('a form is filled in and sent as a person would do it', async () => {
  const { page, performed } = await act(
    context,
    at('/play/form'),
    [
      { type: 'type', selector: '#name', text: '{{row.name}}' },
      { type: 'type', selectors: ['#nowhere', 'aria/E-mail'], text: 'ada@example.com' },
      { type: 'select', selector: '#country', value: 'Portugal' },
      { type: 'type', selector: '#level', text: '8' },
      { type: 'type', selector: 'textarea', text: 'one\ntwo' },
      { type: 'click', selector: 'text/I agree' },
      { type: 'click', selector: "//button[@id='send']", expectNavigation: { title: 'Thank you' } },
    ],
    { plan: { row: { name: 'Ada' } } },
  )
  assert.deepEqual(textsOf(page.html, 'dd'), ['Ada', 'ada@example.com', 'pt', '8', 'one\ntwo', 'on'])
  assert.equal(performed.steps[1]!.selector, 'aria/E-mail')
  assert.equal(page.status, 200)
})

test('a login with a secret succeeds, and the secret appears in no result', async () => {
  const secret = 'difference-engine'
  const secrets = {
    get: async (name: string) => (name === 'SHOP' ? secret : null),
    names: async () => ['SHOP'],
  }
  const login = [
    { type: 'type', selector: '[name=user]', text: 'ada' },
    { type: 'type', selector: '[name=password]', text: '{{secret.SHOP}}' },
    { type: 'click', selector: 'button', expectNavigation: true },
  ]
  const { page } = await act(context, at('/play/login'), login, { parts: { secrets } })
  assert.match(page.finalUrl, /\/play\/account$/)
  const state = await context.state()
  assert.ok(state.cookies.some(({ name }) => name === 'play'))

  const other = await browser.openContext({ state })
  const inside = await act(other, at('/play/account'), [{ type: 'wait', selector: '#who' }])
  assert.deepEqual(textsOf(inside.page.html, '#who'), ['Ada Lovelace'])
  await other.close()

  const wrong = [
    { ...login[0], text: 'bob' },
    ...login.slice(1),
    { type: 'click', selector: '#who', timeoutMs: 200 },
  ]
  await context.clear({ storage: true })
  const failure = await failureOf(act(context, at('/play/login'), wrong, { parts: { secrets } }))
  assert.equal(failure.code, 'action.failed')
  assert.ok(!JSON.stringify(failure).includes(secret))
})

test('the error for an unknown secret suggests the nearest name', async () => {
  const secrets = { get: async () => null, names: async () => ['SHOP_PASSWORD'] }
  const steps = [{ type: 'type', selector: '[name=user]', text: '{{secret.SHOP_PASWORD}}' }]
  const failure = await failureOf(act(context, at('/play/login'), steps, { parts: { secrets } }))
  assert.equal(failure.code, 'secret.missing')
  assert.match(failure.message, /did you mean "SHOP_PASSWORD"/)
})

test('selectors find elements in open shadow roots, both as paths and as plain selectors', async () => {
  const { page } = await act(context, at('/play/shadow'), [
    { type: 'type', selectors: [['#outer', 'play-field', '.word']], text: 'hush' },
    { type: 'click', selector: 'pierce/.say' },
  ])
  assert.deepEqual(textsOf(page.html, '#said'), ['hush'])
})

test('a frame inside another frame is found by its position', async () => {
  const { performed } = await act(context, at('/play/frames'), [
    { type: 'repeat', times: 3, steps: [{ type: 'click', selector: '#count', frame: [0, 0] }] },
    { type: 'evaluate', frame: [0, 0], script: 'document.querySelector("#count").textContent', as: 'count' },
  ])
  assert.deepEqual(performed.value, { count: '3' })
  assert.deepEqual(
    performed.steps.map(({ path }) => path),
    ['actions[0].steps[0]', 'actions[0].steps[0]', 'actions[0].steps[0]', 'actions[0]', 'actions[1]'],
  )
})

const names = (css: string) => (html: string) =>
  textsOf(html, css).map(name => ({ data: { name }, provenance: {} }))

test('a list of several pages is followed to its end, but not past the limit', async () => {
  const steps = (maxPages: number) => [
    { type: 'paginate', selector: '.next', maxPages, steps: [{ type: 'extract' }] },
  ]
  const whole = await act(context, at('/play/list'), steps(10), { parts: { extract: names('.item') } })
  assert.equal(whole.performed.extracted?.length, 12)
  const two = await act(context, at('/play/list'), steps(2), { parts: { extract: names('.item') } })
  assert.equal(two.performed.extracted?.length, 10)
})

test('a list that loads more items when it is scrolled is scrolled until no more items come', async () => {
  const { page } = await act(context, at('/play/feed'), [{ type: 'scroll', to: 'end', times: 20 }])
  assert.equal(textsOf(page.html, '#feed li').length, 40)
})

test('a repeat step ends when its condition holds, and fails if that never happens', async () => {
  const until = (wanted: number, maxTimes: number) => [
    {
      type: 'repeat-until',
      expression: `document.querySelectorAll('#feed li').length >= ${wanted}`,
      maxTimes,
      steps: [
        { type: 'scroll', to: 'end' },
        { type: 'wait', ms: 100 },
      ],
    },
  ]
  const { page } = await act(context, at('/play/feed'), until(25, 50))
  assert.ok(textsOf(page.html, '#feed li').length >= 25)
  const failure = await failureOf(act(context, at('/play/feed'), until(1_000, 2)))
  assert.match(failure.message, /step 1 \(actions\[0\], repeat-until\).*2 rounds/)
})

test('for-each runs its steps for each element that existed at its start', async () => {
  const { performed } = await act(
    context,
    at('/play/list'),
    [
      {
        type: 'for-each',
        selector: '.item',
        max: 3,
        steps: [
          { type: 'click', selector: 'a', within: 'item', expectNavigation: true },
          { type: 'extract' },
          { type: 'back' },
        ],
      },
      { type: 'for-each', values: ['x', 'y'], steps: [{ type: 'goto', url: '/play/list?page={{item}}' }] },
    ],
    { parts: { extract: names('h1') } },
  )
  assert.deepEqual(
    performed.extracted?.map(({ data }) => data.name),
    ['Tell us', 'Tell us', 'Tell us'],
  )
})

test('the conditions of the steps `when` and `try` decide which other steps run', async () => {
  const { page } = await act(
    context,
    at('/play/form'),
    [
      { type: 'when', selector: '#name', steps: [{ type: 'type', selector: '#name', text: 'seen' }] },
      {
        type: 'when',
        column: 'mail',
        not: true,
        steps: [],
        else: [{ type: 'type', selector: '#email', text: '{{row.mail}}' }],
      },
      {
        type: 'try',
        steps: [{ type: 'click', selector: '#missing', timeoutMs: 100 }],
        else: [{ type: 'type', selector: '#note', text: 'not there' }],
      },
      { type: 'press', selector: '#name', key: 'Enter', expectNavigation: true },
    ],
    { plan: { row: { mail: 'a@b.example' } } },
  )
  assert.deepEqual(textsOf(page.html, '#got-name, #got-email, #got-note'), [
    'seen',
    'a@b.example',
    'not there',
  ])
})

test('files are uploaded with their content, and downloaded files are unchanged', async () => {
  const { page } = await act(context, at('/play/files'), [
    {
      type: 'upload',
      selector: '#file',
      files: [
        { name: 'a.txt', text: 'hello' },
        { name: 'b.txt', base64: 'aGk=' },
      ],
    },
    { type: 'wait', expression: 'document.querySelector("#got").textContent !== ""' },
    { type: 'download', selector: '#prices' },
    { type: 'screenshot' },
    { type: 'screenshot', selector: '#prices' },
    { type: 'pdf' },
  ])
  assert.deepEqual(textsOf(page.html, '#got'), ['a.txt: hello; b.txt: hi'])
  assert.deepEqual(
    page.downloads.map(({ fileName, bytes }) => [fileName, bytes]),
    [['prices.csv', 34]],
  )
  assert.equal(page.finalUrl, at('/play/files'))
  assert.match(String(new Map(page.headers).get('content-type')), /^text\/html/)
})

test('screenshots and PDFs of steps are numbered artifacts', async () => {
  const steps = [{ type: 'screenshot' }, { type: 'screenshot', fullPage: true }, { type: 'pdf' }]
  const { performed } = await act(context, at('/play/form'), steps)
  assert.deepEqual(
    performed.artifacts.map(({ name, fileName }) => `${name} ${fileName}`),
    ['screenshot screenshot.png', 'screenshot-2 screenshot-2.png', 'pdf page.pdf'],
  )
})

test('a file that arrives before its click step ends is stored', async () => {
  const script = `
    const link = document.querySelector('#prices')
    const wait = until => { while (performance.now() < until); }
    document.body.insertAdjacentHTML('beforeend', '<button id="slow">all prices</button>')
    document.querySelector('#slow').onmousedown = () => link.click()
    document.querySelector('#slow').onmouseup = () => wait(performance.now() + 1000)`
  const { page } = await act(context, at('/play/files'), [
    { type: 'evaluate', script },
    { type: 'download', selector: '#slow' },
  ])
  assert.deepEqual(
    page.downloads.map(({ fileName }) => fileName),
    ['prices.csv'],
  )
})

test('only the first twenty files are stored, and the result says so', async () => {
  const download = { type: 'try', steps: [{ type: 'download', selector: '#prices' }] }
  const { page } = await act(context, at('/play/files'), [{ type: 'repeat', times: 21, steps: [download] }])
  assert.equal(page.downloads.length, 20)
  assert.deepEqual(page.notKept, [
    'the download prices.csv was stopped: the page started more than 20 downloads',
  ])
})

test('a download above the limit fails its step, and the error names the remedy', async () => {
  const small = await browser.openContext({ maxDownloadBytes: 10 })
  const { page } = await act(small, at('/play/files'), [{ type: 'wait', ms: 0 }])
  assert.equal(page.downloads.length, 0)
  const download = { type: 'download', selector: '#prices' }
  const { page: after } = await act(small, at('/play/files'), [{ type: 'try', steps: [download] }])
  assert.deepEqual(after.downloads, [])
  assert.match(after.notKept.join(), /^the download prices\.csv is larger than 10 bytes/)
  await assert.rejects(act(small, at('/play/files'), [download]), {
    code: 'download.too-large',
    message: /^actions\[0\]: the download prices\.csv is larger than 10 bytes; raise max_bytes in the policy/,
  })
  await small.close()
})

test('a step can choose a pop-up by its URL, and close it', async () => {
  const { performed } = await act(context, at('/play/popup'), [
    { type: 'click', selector: '#open' },
    { type: 'click', selector: '#greet', target: at('/play/popup/window') },
    {
      type: 'evaluate',
      script: 'document.querySelector("#greet").textContent',
      target: at('/play/popup/window'),
      as: 'said',
    },
    { type: 'close', target: at('/play/popup/window') },
    { type: 'evaluate', script: 'document.title', as: 'title' },
  ])
  assert.deepEqual(performed.value, { said: 'Hello', title: 'Opens another' })
})

test('the steps key-down and key-up press and release a key', async () => {
  const { page } = await act(context, at('/play/keys'), [
    { type: 'click', selector: '#field' },
    { type: 'key-down', key: 'Shift' },
    { type: 'press', key: 'a' },
    { type: 'key-up', key: 'Shift' },
  ])
  assert.match(textsOf(page.html, '#pressed')[0]!, /^keydown Shift; keydown [aA]; keyup [aA]; keyup Shift;/)
})

test('a wait for elements can check their number and their properties', async () => {
  const wait = (given: object) => act(context, at('/play/list'), [{ type: 'wait', ...given }])
  await wait({ selector: '.item', count: 5 })
  await wait({ selector: '.item', count: 3, operator: '>=' })
  await wait({ selector: '.nothing', count: 0 })
  await wait({ selector: '.next', attributes: { href: '/play/list?page=2' }, properties: { tagName: 'A' } })
  const failure = await failureOf(wait({ selector: '.item', count: 7, timeoutMs: 2_000 }))
  assert.match(failure.message, /found 5 of ".item", expected == 7 visible/)
})

test('the error for a failed step has the number of the step, its position in the list and the URL of the page', async () => {
  const steps = [
    { type: 'wait', ms: 0 },
    { type: 'repeat', times: 2, steps: [{ type: 'click', selector: '#gone', timeoutMs: 100 }] },
  ]
  const failure = await failureOf(act(context, at('/play/form'), steps))
  assert.equal(failure.code, 'action.failed')
  const { step, path, type, url } = failure.details
  assert.deepEqual(
    { step, path, type, url },
    { step: 2, path: 'actions[1].steps[0]', type: 'click', url: at('/play/form') },
  )
  assert.match(failure.message, /nothing visible for "#gone" within 100 ms/)
  const evidence = await context.evidence(['screenshot', 'html', 'network'], 3_000)
  assert.deepEqual(
    evidence.map(({ name }) => name),
    ['screenshot', 'html', 'network'],
  )
})

test('a navigation to an unexpected URL fails, and the error names both URLs', async () => {
  const steps = [
    { type: 'click', selector: '.item a', timeoutMs: 3_000, expectNavigation: { url: '/play/login' } },
  ]
  const failure = await failureOf(act(context, at('/play/list'), steps))
  assert.match(failure.message, /navigated to .*\/play\/form "Tell us", not to \/play\/login/)
})

for (const { script, code, withinMs } of [
  { script: 'while(1);', code: 'task.deadline', withinMs: 1_500 },
  { script: 'for(;;)window.open("about:blank")', code: 'task.deadline', withinMs: 1_500 },
  // The script ends by itself, but this may take a while on a busy machine.
  { script: 'throw null', code: 'action.failed', withinMs: 30_000 },
])
  test(`a page that runs "${script}" fails only its own task`, async () => {
    const own = await browser.openContext()
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(new Failure('task.deadline', 'the time is over')), withinMs)
    const steps = [{ type: 'evaluate', script }]
    const failure = await failureOf(act(own, at('/play/form'), steps, { signal: deadline.signal }))
    clearTimeout(timer)
    assert.equal(failure.code, code)
    await own.closePage()
    await own.close()
    const { page } = await act(context, at('/play/form'), [{ type: 'reload' }])
    assert.equal(page.status, 200)
  })

test('a page that reloads itself is parsed after the reload', async () => {
  const { page } = await act(context, at('/play/form'), [{ type: 'evaluate', script: 'location.reload()' }])
  assert.equal(page.status, 200)
})

test('paginate follows a list of many pages to its end', async () => {
  const pages = 25
  for (let n = 1; n <= pages; n++)
    site.serve(
      `/shelf/${n}`,
      `<p>${n}</p>${n < pages ? `<a class="next" href="/shelf/${n + 1}">next</a>` : ''}`,
    )
  const { page } = await act(context, at('/shelf/1'), [
    { type: 'paginate', selector: '.next', maxPages: 30, steps: [{ type: 'wait', selector: 'p' }] },
  ])
  assert.deepEqual([page.finalUrl, page.status], [at(`/shelf/${pages}`), 200])
})

test('a page that loads in two parts is parsed after both parts are loaded', async () => {
  site.serve('/halves', response => {
    response.writeHead(200, { 'content-type': 'text/html' }).write('<p class="half">one</p>')
    setTimeout(() => response.end('<p class="half">two</p>'), 1_000)
  })
  const { page } = await act(context, at('/play/form'), [
    { type: 'evaluate', script: "setTimeout(() => { location = '/halves' })" },
    { type: 'wait', selector: '.half' },
  ])
  assert.deepEqual(textsOf(page.html, '.half'), ['one', 'two'])
})

test('an action cannot reach an address that the egress gate refuses', async () => {
  const steps = [
    { type: 'wait', ms: 0 },
    { type: 'goto', url: 'http://169.254.169.254/latest/meta-data/' },
  ]
  const { page } = await act(context, at('/play/form'), steps)
  assert.equal(page.status, 403)
  assert.match(page.html, /Not fetched: address\.refused/)
})

test('a click succeeds even if the page that it opens gets its slot long after the timeout of the step', async () => {
  const timeoutMs = 3_000
  const beforeNavigation = () => new Promise<void>(resolve => setTimeout(resolve, timeoutMs + 1_000))
  const steps = [{ type: 'click', selector: '.next', timeoutMs }]
  const { page } = await act(context, at('/play/list'), steps, { parts: { beforeNavigation } })
  assert.equal(page.finalUrl, at('/play/list?page=2'))
})

test('if a key press opens another page, the next step runs on that page, however late it loads', async () => {
  site.serve(
    '/late-form',
    '<form action="/slow/headers"><input id="q"><input type="hidden" name="ms" value="700"></form>',
  )
  const steps = [
    { type: 'press', selector: '#q', key: 'Enter' },
    { type: 'evaluate', script: 'location.pathname', as: 'at' },
  ]
  const { performed } = await act(context, at('/late-form'), steps)
  assert.deepEqual(performed.value, { at: '/slow/headers' })
})

test('every document that a step opens needs a permit, and a refused permit ends the run', async () => {
  const asked: string[] = []
  const beforeNavigation = async (url: string) => {
    asked.push(new URL(url).pathname + new URL(url).search)
    if (asked.length === 3) throw new Failure('host.not-now', 'not at this hour')
  }
  const steps = [{ type: 'paginate', selector: '.next', steps: [{ type: 'wait', ms: 0 }] }]
  await act(context, at('/play/list'), steps, { parts: { beforeNavigation } })
  assert.deepEqual(asked, ['/play/list?page=2', '/play/list?page=3'])
  const failure = await failureOf(act(context, at('/play/list'), steps, { parts: { beforeNavigation } }))
  assert.equal(failure.code, 'host.not-now')
})
