// Links the sources of the project into a folder as the package kscrape, so that the folder looks like an installation.
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { link } from './installed-package.ts'

const root = join(import.meta.dirname, '../..')

export async function linkSources(folder: string): Promise<void> {
  const target = join(folder, 'node_modules/kscrape')
  await mkdir(target, { recursive: true })
  await symlink(join(root, 'src'), join(target, 'src'))
  const exports = { '.': './src/index.ts', './testing': './src/testing.ts' }
  await writeFile(join(target, 'package.json'), JSON.stringify({ name: 'kscrape', type: 'module', exports }))
  await link(folder, 'zod')
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
}
