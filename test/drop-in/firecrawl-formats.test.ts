// Tests formats that need more than the page: summary and json with a prompt need a model, branding needs style sheets.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { FirecrawlApi } from '../support/firecrawl.ts'
import { type LlmEndpoint, startLlmEndpoint } from '../support/llm-endpoint.ts'

const page = `<html lang="en"><head><title>Lamps | Luxor</title><meta property="og:site_name" content="Luxor">
  <meta name="theme-color" content="#0a7d5a"><link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/site.css">
  <style>h1 { font-family: "Lora", serif; font-size: 40px } a { color: rgb(10, 20, 200) }</style></head>
  <body><header><a href="/"><img class="site-logo" src="/luxor.svg" alt="Luxor"></a></header>
  <main><h1>Lamps</h1><p>Luxor builds lamps in Graz since 1998.</p></main></body></html>`
const css = `:root { --brand-primary: #0A7D5A; --space-unit: 8px }
  body { background: #fff; color: #222; font-family: 'Inter', sans-serif; font-size: 16px }
  .btn-primary { background: var(--brand-primary); color: white; border-radius: 6px }
  @media print { body { color: red } }`

interface Branding {
  brandName: string
  logo: string
  colorScheme: string
  colors: Record<string, string>
  fonts: Array<{ family: string }>
  typography: { fontSizes: Record<string, string> }
  components: { buttonPrimary: Record<string, string> }
  images: Record<string, string>
}

let api: FirecrawlApi
let endpoint: LlmEndpoint
before(async () => {
  endpoint = await startLlmEndpoint(({ fields }) => {
    if (fields[0] === 'summary') return { summary: 'Luxor of Graz builds lamps.' }
    if (fields[0] === 'fields')
      return { fields: [{ name: 'city', kind: 'string', description: 'where they are built', of: [] }] }
    return { city: 'Graz' }
  })
  api = await FirecrawlApi.open({ settings: { llmBaseUrl: endpoint.baseUrl, llmModel: 'small-1' } })
  api.site.serve('/lamps', page)
  api.site.serve('/site.css', { headers: { 'content-type': 'text/css' }, body: css })
})
after(async () => {
  await api?.[Symbol.asyncDispose]()
  await endpoint?.[Symbol.asyncDispose]()
})
const at = (path: string): string => `${api.site.url}${path}`

describe('branding', () => {
  test('branding comes from the style sheets and the markup, and a second request gives the same branding', async () => {
    const { id } = await api.client.startBatchScrape([at('/lamps')], { options: { formats: ['branding'] } })
    await api.service.ended(id)
    const [first] = (await api.client.getBatchScrapeStatus(id)).data
    const branding = first!.branding as Branding
    assert.deepEqual(
      [branding.brandName, branding.logo, branding.colorScheme],
      ['Luxor', at('/luxor.svg'), 'light'],
    )
    const { primary, background, textPrimary, link } = branding.colors
    assert.deepEqual([primary, background, textPrimary, link], ['#0A7D5A', '#FFFFFF', '#222222', '#0A14C8'])
    assert.deepEqual(
      branding.fonts.map(({ family }) => family),
      ['Inter', 'Lora'],
    )
    assert.deepEqual(branding.typography.fontSizes, { body: '16px', h1: '40px' })
    assert.deepEqual(branding.components.buttonPrimary, {
      ...{ background: '#0A7D5A', textColor: '#FFFFFF', borderRadius: '6px' },
    })
    assert.equal(branding.images.favicon, at('/icon.svg'))
    const [again] = (await api.client.getBatchScrapeStatus(id)).data
    assert.deepEqual(again!.branding, branding)
    assert.equal(api.site.requestsTo('/site.css').length, 1, 'the style sheet is fetched once')
  })
})

describe('the model', () => {
  test('the model writes one summary of a page, and the job counts the tokens that the model used', async () => {
    const { id } = await api.client.startBatchScrape([at('/lamps')], {
      options: { formats: ['markdown', 'summary'] },
    })
    await api.service.ended(id)
    const before = endpoint.asked.length
    for (const _ of [1, 2]) {
      const [document] = (await api.client.getBatchScrapeStatus(id)).data
      assert.equal(document!.summary, 'Luxor of Graz builds lamps.')
    }
    assert.equal(endpoint.asked.length - before, 1)
    assert.match(endpoint.asked.at(-1)!.prompt, /Luxor builds lamps in Graz since 1998/)
    const { llmTokens } = await api.service.service.engine.data.store.jobs.counts(id)
    assert.equal(llmTokens, 100)
  })

  test('the model turns a prompt into names of json fields, and fills them from the page', async () => {
    const formats = [{ type: 'json', prompt: 'where are the lamps built' }]
    const document = await api.client.scrape(at('/lamps'), { formats })
    assert.deepEqual(document.json, { city: 'Graz' })
  })
})
