// Runs the commands in the README and all other guides unchanged. `make docs-check` also runs commands that need the machine for
// themselves.
import { everyday, testCommands } from './support/documents.ts'

const elsewhere = Object.values(everyday)
  .flat()
  .map(name => `docs/${name}.md`)

// system/examples.nightly.test.ts runs the commands of the examples and checks their results.
testCommands(path => !path.startsWith('examples/') && !elsewhere.includes(path))
