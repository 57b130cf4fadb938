// What is written about the service is done: the commands of those pages run as they stand.
import { everyday, testCommands } from './support/documents.ts'

testCommands(path => everyday.service.some(name => path === `docs/${name}.md`))
