// Makes the optional packages dependencies of the image, because it runs every role. DuckDB is left out: `kscrape query` is for
// users at a terminal. Writes package.json in the current folder.
import { readFileSync, writeFileSync } from 'node:fs'

const notInImages = ['@duckdb/node-api']

const about = JSON.parse(readFileSync('package.json', 'utf8'))
for (const name of Object.keys(about.peerDependencies)) {
  const version = about.devDependencies[name]
  delete about.peerDependencies[name]
  delete about.peerDependenciesMeta[name]
  delete about.devDependencies[name]
  if (!notInImages.includes(name)) about.dependencies[name] = version
}
writeFileSync('package.json', `${JSON.stringify(about, null, 2)}\n`)
