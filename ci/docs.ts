// Writes the documents that are made from the code: npm run docs
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environmentExample, settingsPage } from './settings-docs.ts'

const root = join(import.meta.dirname, '..')

writeFileSync(join(root, 'docs/settings.md'), settingsPage())
writeFileSync(join(root, '.env.example'), environmentExample())
