// Runs the commands in the pages about the program unchanged.
import { everyday, testCommands } from './support/documents.ts'

testCommands(path => everyday.program.some(name => path === `docs/${name}.md`))
