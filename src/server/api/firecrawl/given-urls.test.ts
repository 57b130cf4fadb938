// Tests which URLs of a request can be fetched.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../../model/failures.ts'
import { originRefusals, sortUrls } from './given-urls.ts'

const anyOrigin = () => null

test('a URL without a scheme becomes https', async () => {
  const given = ['a.example/x', 'http://b.example/', ' c.example:8080/y']
  assert.deepEqual(await sortUrls(given, false, anyOrigin), {
    ...{ valid: ['https://a.example/x', 'http://b.example/', 'https://c.example:8080/y'], invalid: [] },
  })
})

test('invalid URLs are listed if the request allows to ignore them; otherwise the request is refused', async () => {
  assert.deepEqual((await sortUrls(['a.example', 'ftp://b.example/'], true, anyOrigin)).invalid, [
    'ftp://b.example/',
  ])
  await assert.rejects(sortUrls(['a.example', 'ftp://b.example/'], false, anyOrigin), {
    code: 'input.invalid',
    message: /ftp:\/\/b\.example/,
  })
  await assert.rejects(sortUrls(['ftp://b.example/'], true, anyOrigin), { code: 'input.invalid' })
})

test('a forbidden address counts as an invalid URL, and each origin is checked once', async () => {
  const asked: string[] = []
  const check = async (spec: { urls?: string[] | undefined }) => {
    asked.push(spec.urls![0]!)
    if (spec.urls![0]!.includes('inside')) throw new Failure('address.refused', 'is an internal name')
  }
  const refusals = originRefusals({ parts: { engine: { check } } } as never)
  assert.deepEqual(
    await sortUrls(['http://a.example/1', 'http://inside/x', 'http://a.example/2'], true, refusals),
    {
      ...{ valid: ['http://a.example/1', 'http://a.example/2'], invalid: ['http://inside/x'] },
    },
  )
  assert.deepEqual(asked, ['http://a.example/', 'http://inside/'])
  await assert.rejects(sortUrls(['http://a.example/1', 'http://inside/x'], false, refusals), {
    code: 'address.refused',
  })
})
