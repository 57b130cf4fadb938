// What is written about the program is done: the commands of those pages run as they stand.
import { everyday, testCommands } from './support/documents.ts'

testCommands(path => everyday.program.some(name => path === `docs/${name}.md`))
