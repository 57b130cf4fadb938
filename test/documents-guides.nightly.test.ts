// What is written in the README and all other guides is done: their commands run as they stand. `make docs-check` runs those that want the machine for themselves, too.
import { everyday, testCommands } from './support/documents.ts'

const elsewhere = Object.values(everyday)
  .flat()
  .map(name => `docs/${name}.md`)

// Commands of examples are run by system/examples.nightly.test.ts, which looks at what comes of them.
testCommands(path => !path.startsWith('examples/') && !elsewhere.includes(path))
