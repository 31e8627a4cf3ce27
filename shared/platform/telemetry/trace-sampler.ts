import type { SpanContext } from '../../records/trace-context.ts'

/** The rule that selects the traces to send. */
export interface TraceSampler {
  /** Whether a trace that a caller began keeps the decision of the caller. */
  readonly followsCaller: boolean
  /** The share of the other traces that are sent, from 0 to 1. */
  readonly ratio: number
}

const parentBasedPrefix = 'parentbased_'

/** The names of all samplers, for messages. */
export const samplerNames: readonly string[] = ['always_on', 'always_off', 'traceidratio'].flatMap(
  name => [name, `${parentBasedPrefix}${name}`],
)

/**
 * Returns the sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG name. Without the first
 * variable, all traces are sent, except those that a caller does not sample. A ratio that is no
 * number from 0 to 1 counts as 1. Returns undefined for an unknown name. Source: OpenTelemetry's
 * specification of environment variables.
 */
export function readTraceSampler(name: string, ratioText: string): TraceSampler | undefined {
  if (name === '') return { followsCaller: true, ratio: 1 }
  if (!samplerNames.includes(name)) return undefined
  const ratio = ratioText === '' ? 1 : Number(ratioText)
  const ratios: Readonly<Record<string, number>> = {
    always_on: 1,
    always_off: 0,
    traceidratio: ratio >= 0 && ratio <= 1 ? ratio : 1,
  }
  return {
    followsCaller: name.startsWith(parentBasedPrefix),
    ratio: ratios[name.replace(parentBasedPrefix, '')] ?? 1,
  }
}

/** The number of different values of the random part of a trace id: its last 14 hex digits. */
const randomPartSize = 2 ** 56

/**
 * Reports whether a trace is sent. All processes decide alike, because the decision depends on the
 * trace id and on the caller only. Source: OpenTelemetry's probability sampling.
 */
export function isTraceSampled(
  { followsCaller, ratio }: TraceSampler,
  traceId: string,
  caller: SpanContext | undefined,
): boolean {
  if (followsCaller && caller !== undefined) return caller.isSampled
  return Number.parseInt(traceId.slice(-14), 16) / randomPartSize >= 1 - ratio
}
