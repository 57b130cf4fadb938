// Types of settings: lists, durations, rates, sizes and switches.
import * as z from 'zod'
import { parseDuration, parseRate } from '../lib/text/units.ts'
import { rate } from '../model/policy/policy.ts'

/** Attaches to a setting its environment variable and its description in docs/settings.md. */
export const setting = <Schema extends z.ZodType>(env: string, about: string, schema: Schema): Schema =>
  schema.meta({ env, about }) as Schema

export const list = z.preprocess(
  value =>
    typeof value === 'string'
      ? value
          .split(',')
          .map(part => part.trim())
          .filter(Boolean)
      : value,
  z.array(z.string()),
)
export const whole = z.coerce.number().int()
export const duration = z.preprocess(
  value => (typeof value === 'string' ? parseDuration(value) : value),
  z.number().int().min(0),
)
export const rateText = z.preprocess(value => (typeof value === 'string' ? parseRate(value) : value), rate)
export const onOff = z.union([z.boolean(), z.stringbool()])
export const bytes = whole.min(0)
export const money = z.coerce.number().min(0).max(1_000_000)
