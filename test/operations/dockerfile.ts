// Parses a Dockerfile as Docker does: stages, with their instructions in order.

export interface Instruction {
  /** The instruction in capitals, like `RUN`. */
  name: string
  /** Flags of the instruction, like `--from=build`. */
  flags: string[]
  text: string
}

export interface Stage {
  name: string
  /** The base image, or the name of an earlier stage. */
  base: string
  instructions: Instruction[]
}

export function stagesOf(dockerfile: string): Stage[] {
  const stages: Stage[] = []
  for (const line of linesOf(dockerfile)) {
    const instruction = instructionOf(line)
    const stage = instruction.name === 'FROM' ? stageOf(instruction) : null
    if (stage) stages.push(stage)
    else if (stages.length === 0) throw new Error(`${line}: comes before the first FROM`)
    else stages.at(-1)!.instructions.push(instruction)
  }
  return stages
}

/** Removes comments and joins continued lines. */
const linesOf = (dockerfile: string): string[] =>
  dockerfile
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')

function instructionOf(line: string): Instruction {
  const [, name = '', flags = '', text = ''] = /^(\w+)((?:\s+--[\w-]+(?:=\S+)?)*)\s+(.*)$/.exec(line) ?? []
  if (name === '') throw new Error(`"${line}" is no instruction`)
  return { name: name.toUpperCase(), flags: flags.trim().split(/\s+/).filter(Boolean), text: text.trim() }
}

function stageOf({ text }: Instruction): Stage {
  const [, base = '', name = ''] = /^(\S+)\s+AS\s+(\S+)$/i.exec(text) ?? []
  if (base === '') throw new Error(`FROM ${text}: a stage needs a name`)
  return { base, name, instructions: [] }
}

/** All instructions of an image, starting with its first base image. */
export function whole(stages: readonly Stage[], name: string): Instruction[] {
  const stage = stages.find(one => one.name === name)
  return stage ? [...whole(stages, stage.base), ...stage.instructions] : []
}

/** Later instructions replace earlier ones, so the last instruction counts. */
export const last = (instructions: readonly Instruction[], name: string): Instruction | undefined =>
  instructions.findLast(instruction => instruction.name === name)
