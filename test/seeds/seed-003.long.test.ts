// Seed 003 (an earlier specification): tests the steps and artifacts that the seed names, in a real browser.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { act, type DrivenBrowser, openDrivenBrowser } from '../support/driven-context.ts'
import { TestService } from '../support/service.ts'

let site: TestSite
before(async () => {
  site = await startTestSite()
  for (const name of ['one', 'two']) site.serve(`/${name}`, `<title>${name}</title><h1>${name}</h1>`)
  site.serve(
    '/late',
    `<title>late</title><p id="at"></p><script>
      setTimeout(async () => {
        await fetch('/one')
        document.body.insertAdjacentHTML('beforeend', '<b id="came">came</b>')
      }, 200)
    </script>`,
  )
})
after(() => site?.[Symbol.asyncDispose]())

describe('steps', () => {
  let browser: DrivenBrowser
  before(async () => {
    browser = await openDrivenBrowser([`${site.host}:${site.port}`])
  })
  after(() => browser?.[Symbol.asyncDispose]())

  test('goto, back, forward and reload work as steps', async () => {
    const context = await browser.openContext()
    const before = site.requestsTo('/two').length
    const titleAfter = async (...types: Array<'back' | 'forward' | 'reload'>) => {
      const steps = [{ type: 'goto' as const, url: `${site.url}/two` }, ...types.map(type => ({ type }))]
      const { page } = await act(context, `${site.url}/one`, steps)
      return /<title>(.*?)<\/title>/.exec(page.html)?.[1]
    }
    assert.equal(await titleAfter(), 'two')
    assert.equal(await titleAfter('back'), 'one')
    assert.equal(await titleAfter('back', 'forward'), 'two')
    const asked = site.requestsTo('/two').length
    assert.equal(await titleAfter('reload'), 'two')
    assert.equal(site.requestsTo('/two').length - asked, 2)
    assert.ok(asked > before)
  })

  test('a step can wait for an element, for a time and for an idle network', async () => {
    const context = await browser.openContext()
    const htmlAfter = async (wait: object) => {
      const steps = [{ type: 'wait' as const, ...wait }]
      return (await act(context, `${site.url}/late`, steps)).page.html
    }
    assert.match(await htmlAfter({ selector: '#came' }), /id="came"/)
    assert.match(await htmlAfter({ networkIdle: true }), /id="came"/)
    assert.match(await htmlAfter({ ms: 10 }), /<title>late/)
  })
})

test('the HTML, data, metadata and screenshot of an item can be downloaded by name', async () => {
  await using service = await TestService.open({
    settings: { allowPrivate: [`${site.host}:${site.port}`], rate: 'unlimited' },
  })
  const jobId = await service.submit({
    items: [{ item_id: 'item-1', input: { url: `${site.url}/one` } }],
    render: 'always',
    rendering: { screenshot: true },
    results: { layout: 'items' },
  })
  assert.equal((await service.ended(jobId)).status, 'completed')
  const download = async (artifact: string) => {
    const path = `/jobs/${jobId}/items/item-1/download?artifact=${artifact}`
    const { status, text, headers } = await service.ask(path)
    assert.equal(status, 200, `${artifact}: ${text}`)
    return { text, type: headers.get('content-type') ?? '' }
  }
  assert.match((await download('html')).text, /<h1>one<\/h1>/)
  assert.ok(Array.isArray(JSON.parse((await download('data')).text)))
  assert.equal((JSON.parse((await download('metadata')).text) as { url: string }).url, `${site.url}/one`)
  assert.match((await download('screenshot')).type, /^image\/png/)
})
