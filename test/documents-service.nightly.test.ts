// Runs the commands in the pages about the service unchanged.
import { everyday, testCommands } from './support/documents.ts'

testCommands(path => everyday.service.some(name => path === `docs/${name}.md`))
