// robots.txt: parsing, matching, and what a missing one means (RFC 9309).
export { parseRobots, productTokenOf, type RobotsRules } from './rules.ts'
export { robotsVerdict } from './verdict.ts'
