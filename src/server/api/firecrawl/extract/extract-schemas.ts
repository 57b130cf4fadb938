// Request schemas of extractions over several pages: `extract` and `agent`. Unknown keys are refused.
import * as z from 'zod'
import { optionsV1, optionsV2, webhook } from '../schemas.ts'

const jsonSchema = z.record(z.string(), z.unknown())
const prompt = z.string().trim().max(10_000)
const urls = z.array(z.string().max(8_192)).max(1_000)

const extract = {
  urls: urls.optional(),
  prompt: prompt.optional(),
  systemPrompt: prompt.optional(),
  schema: jsonSchema.nullish(),
  limit: z.int().min(1).max(1_000).optional(),
  ignoreSitemap: z.boolean().default(false),
  includeSubdomains: z.boolean().default(true),
  allowExternalLinks: z.boolean().default(false),
  enableWebSearch: z.boolean().default(false),
  showSources: z.boolean().default(false),
  urlTrace: z.boolean().default(false),
  webhook: webhook.optional(),
  agent: z.unknown().optional(),
  timeout: z.number().optional(),
  zeroDataRetention: z.boolean().optional(),
  threatProtection: z.unknown().optional(),
  integration: z.string().max(200).nullish(),
  origin: z.string().max(200).optional(),
}

export const extractBodies = {
  1: z.strictObject({
    ...extract,
    ignoreInvalidURLs: z.boolean().default(false),
    scrapeOptions: z.strictObject(optionsV1).optional(),
  }),
  2: z.strictObject({
    ...extract,
    ignoreInvalidURLs: z.boolean().default(true),
    scrapeOptions: z.strictObject(optionsV2).optional(),
  }),
} as const
export type ExtractBody = z.output<(typeof extractBodies)[1]> | z.output<(typeof extractBodies)[2]>

export const agentBody = z.strictObject({
  urls: urls.optional(),
  prompt: prompt.min(1),
  schema: jsonSchema.nullish(),
  maxCredits: z.int().min(1).max(1_000_000).optional(),
  strictConstrainToURLs: z.boolean().default(false),
  model: z.string().max(200).optional(),
  effort: z.enum(['low', 'medium', 'high']).optional(),
  webhook: z
    .union([
      z.string(),
      z.looseObject({
        events: z.array(z.enum(['started', 'action', 'completed', 'failed', 'cancelled'])).optional(),
      }),
    ])
    .optional(),
  mode: z.enum(['extract', 'chat']).default('extract'),
  threadId: z.string().max(200).optional(),
  exchange: z.looseObject({ enabled: z.boolean().optional() }).optional(),
  threatProtection: z.unknown().optional(),
  auditMetadata: z.unknown().optional(),
  integration: z.string().max(200).nullish(),
  origin: z.string().max(200).optional(),
})
export type AgentBody = z.output<typeof agentBody>
