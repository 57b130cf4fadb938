// Parsers of flag values. commander reports invalid values with the name of the flag.
import { InvalidArgumentError } from 'commander'
import { didYouMean } from '../../lib/text/suggest.ts'

/** Converts an exception of a parser to commander's error. */
export function parsed<Value>(parse: (text: string) => Value): (text: string) => Value {
  return text => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message)
    }
  }
}

export const whole = (least: number, most = Number.MAX_SAFE_INTEGER): ((text: string) => number) =>
  parsed(text => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    const upTo = most === Number.MAX_SAFE_INTEGER ? 'on' : `to ${most}`
    throw new Error(`"${text}" is not a whole number from ${least} ${upTo}`)
  })

/** The parser of a flag with a fixed set of values. Shell completion reads `choices`. */
export interface ChoiceParser<Choice extends string> {
  (text: string): Choice
  choices: readonly Choice[]
}

export const oneOf = <Choice extends string>(choices: readonly Choice[]): ChoiceParser<Choice> =>
  Object.assign(
    parsed(text => {
      const found = choices.find(choice => choice === text)
      if (found) return found
      throw new Error(`"${text}" is not one of ${choices.join(', ')}${didYouMean(text, choices)}`)
    }),
    { choices },
  )

/** Collects the values of a repeatable flag. */
export const gathered = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value]
