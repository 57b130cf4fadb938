// Tests when a job may use a language model.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsSchema } from '../config/settings.ts'
import type { Registry } from '../scraper/registry.ts'
import { llmSettingsOf, refuseUselessModel, refuseWithoutModel } from './llm-settings.ts'

const none = settingsSchema.parse({})
const some = settingsSchema.parse({ llmBaseUrl: 'http://127.0.0.1:1/v1', llmModel: 'small' })

test('a model needs a URL and a name; an API key is optional', () => {
  assert.equal(llmSettingsOf(none), null)
  assert.equal(llmSettingsOf(settingsSchema.parse({ llmBaseUrl: 'http://127.0.0.1:1/v1' })), null)
  assert.deepEqual(llmSettingsOf(some), { baseUrl: 'http://127.0.0.1:1/v1', apiKey: null, model: 'small' })
})

test('a job that uses a model is refused if none is configured', () => {
  assert.throws(() => refuseWithoutModel({ llm: 'fallback' }, none), { code: 'input.invalid' })
  refuseWithoutModel({ llm: 'fallback' }, some)
  refuseWithoutModel({ llm: 'off' }, none)
})

const registryWith = (scraper: object) => ({ get: () => scraper }) as unknown as Registry
const asks = (scraper: object, extract?: object, llm = 'fallback') =>
  refuseUselessModel({ llm, scraperId: 's', ...(extract && { extract }) } as never, registryWith(scraper))

test('a model is used only for required or wanted fields without a default', () => {
  const useless = { code: 'input.invalid' }
  asks({}, { fields: { price: { css: '.p', required: true } } })
  asks({ rules: { fields: { price: { css: '.p', wanted: true } } } })
  assert.throws(() => asks({}), useless)
  assert.throws(() => asks({ run: () => {} }), { ...useless, message: /scraper s/ })
  assert.throws(() => asks({}, { fields: { price: '.p', name: { css: 'h1' } } }), useless)
  assert.throws(() => asks({}, { fields: { price: { css: '.p', required: true, default: 0 } } }), useless)
  asks({}, undefined, 'off')
})
