// The settings of traces, under the names that OpenTelemetry has for them everywhere.
import * as z from 'zod'
import { list, setting, whole } from './setting-kinds.ts'

export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export const tracingSettings = {
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'Where traces are sent, by OTLP over HTTP with JSON, like `http://tempo:4318`; nothing is traced without it. See docs/tracing.md.',
    z.url({ protocol: /^https?$/, error: 'an address like http://127.0.0.1:4318' }).optional(),
  ),
  otlpHeaders: setting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    'What goes along with them, with commas: `name=value,name=value`, values percent-encoded.',
    list.pipe(z.array(z.string().regex(/^[\w-]+=.*$/, 'written as name=value'))).default([]),
  ),
  serviceName: setting(
    'OTEL_SERVICE_NAME',
    'What this service is called in traces.',
    z.string().min(1).max(255).default('kscrape'),
  ),
  tracesSampler: setting(
    'OTEL_TRACES_SAMPLER',
    `Which traces are recorded: ${samplers.map(name => `\`${name}\``).join(', ')}. The last three go by the caller's \`traceparent\` where there is one.`,
    z.enum(samplers).default('parentbased_always_on'),
  ),
  tracesSamplerArg: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    'For the samplers with a ratio: the share of traces that are recorded, from 0 to 1.',
    z.coerce.number().min(0).max(1).default(1),
  ),
  traceTasks: setting(
    'SCRAPER_TRACE_TASKS',
    'Tasks of a traced job that have spans of their own: the first so many, and of the others one in a thousand; 0 for none.',
    whole.min(0).default(500),
  ),
}
