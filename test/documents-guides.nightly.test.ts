// The commands in the README and all other guides run unchanged. `make docs-check` also runs those that need the whole machine.
import { everyday, testCommands } from './support/documents.ts'

const elsewhere = Object.values(everyday)
  .flat()
  .map(name => `docs/${name}.md`)

// Commands of examples run in system/examples.nightly.test.ts, which checks their results.
testCommands(path => !path.startsWith('examples/') && !elsewhere.includes(path))
