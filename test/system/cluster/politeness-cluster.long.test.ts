// Tests politeness over several workers, as the sites see it: one worker is killed, and another one stalls repeatedly.
import { testPoliteness } from './polite-workers.ts'

testPoliteness({ stutter: true, hosts: 10, each: 15 })
