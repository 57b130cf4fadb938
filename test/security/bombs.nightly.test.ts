// Tests all hostile pages, one after the other, on one service: each gives a record or a reason, and the service survives.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { bombPages } from './bomb-pages.ts'
import { BombedService } from './bombed-service.ts'

describe('every hostile page', () => {
  let service: BombedService
  let pid: number
  before(async () => {
    service = await BombedService.open()
    pid = service.pid
  })
  after(() => service?.[Symbol.asyncDispose]())

  for (const name of Object.keys(bombPages))
    test(`the hostile page "${name}" gives a record or a reason, and the service survives`, async () => {
      const outcomes = await service.run('alpha', { urls: [service.site.urlOf(name)] })
      for (const { state, reason } of outcomes.values())
        assert.ok(
          state === 'succeeded' || /^((body|page|record)\.too-|content\.unreadable$)/.test(reason),
          `${state} ${reason}`,
        )
      assert.equal(service.pid, pid)
    })
})
