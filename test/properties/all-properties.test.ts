// Tests that each of the 43 properties of the service has a test that names it.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const folder = import.meta.dirname

test('each of the properties 1 to 43 has a named test', () => {
  const files = readdirSync(folder).filter(name => name.endsWith('.test.ts'))
  const missing = Array.from({ length: 43 }, (_, index) => index + 1).filter(number => {
    const prefix = `property-${String(number).padStart(2, '0')}-`
    const ofIt = files.filter(name => name.startsWith(prefix))
    return !ofIt.some(name => namesProperty(readFileSync(join(folder, name), 'utf8'), number))
  })
  assert.deepEqual(missing, [])
})

/** The property is named in the title of a test or of its suite. */
const namesProperty = (text: string, number: number): boolean =>
  new RegExp(`\\b(?:test|describe)\\(\\s*['\`"]property ${number}\\b`, 'i').test(text)
