import * as z from 'zod'
import { createError, messageOf } from '../../errors/error.ts'
import { parseForm } from '../../values/parse-form.ts'
import type { ConfigValue } from './open-config.ts'

/** The configuration key of the limits of provider calls. */
export const callLimitsKey = 'antichain:limits'

/** The provider calls that a rule can limit. An import and a refresh are reads. */
export const limitedCalls = ['create', 'update', 'delete', 'read'] as const

/** A provider call that a rule can limit. */
export type LimitedCall = (typeof limitedCalls)[number]

/** A rule of `antichain:limits`. It limits the calls that match all its conditions. */
export interface CallLimitRule {
  /** The package of the resource types, such as `aws`. Absent: any. */
  readonly provider?: string
  /** The resource type, where `*` stands for any characters. Absent: any. */
  readonly type?: string
  /** The limited calls. Absent: all. */
  readonly operations?: readonly LimitedCall[]
  /** Inputs of the resource or its provider. Each combination of their values has its own limit. */
  readonly by?: readonly string[]
  /** A name that stacks of the installation share. Absent: the limit belongs to one stack. */
  readonly key?: string
  /** Calls that may start within a period. */
  readonly rate?: CallRate
  /** Calls that may start at the same time after a pause. Absent: 1. */
  readonly burst?: number
  /** Calls that may run at the same time, at most 500. */
  readonly concurrency?: number
}

/** A rate: `calls` calls in `perMs` milliseconds. */
export interface CallRate {
  readonly calls: number
  readonly perMs: number
}

/** Maximum number of rules of one stack. Each call is compared with all of them. */
const rulesMax = 100
/** The longest period of a rate, in ms: an hour. */
const perMsMax = 3_600_000

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const

const textForm = z.string().min(1).max(200)
const burstForm = z.int().min(1).max(100_000)
/**
 * The form of `concurrency`. The maximum keeps the record of a limit, which has an entry for each
 * running call, below 100 KB.
 */
const concurrencyForm = z.int().min(1).max(500)
const rateForm = z.string().transform((text, context): CallRate => {
  const [, calls, count = '1', unit = ''] = /^(\d{1,6})\/(\d{0,6})(ms|s|m|h)$/.exec(text) ?? []
  const perMs = Number(count || 1) * unitsMs[unit as keyof typeof unitsMs]
  if (calls !== undefined && Number(calls) > 0 && perMs > 0 && perMs <= perMsMax)
    return { calls: Number(calls), perMs }
  context.addIssue(`'${text}' is not a rate of at most an hour, such as 10/s, 100/m or 1/30s`)
  return z.NEVER
})
const ruleForm = z
  .strictObject({
    provider: textForm.optional(),
    type: textForm.optional(),
    operations: z.array(z.enum(limitedCalls)).min(1).max(limitedCalls.length).optional(),
    by: z.array(textForm).min(1).max(4).optional(),
    key: textForm.optional(),
    rate: rateForm.optional(),
    burst: burstForm.optional(),
    concurrency: concurrencyForm.optional(),
  })
  .refine(rule => rule.provider !== undefined || rule.type !== undefined, {
    error: 'needs a provider or a type',
  })
  .refine(rule => rule.rate !== undefined || rule.concurrency !== undefined, {
    error: 'needs a rate or a concurrency',
  })
  .refine(rule => rule.burst === undefined || rule.rate !== undefined, {
    error: 'has a burst without a rate',
  })
/** The form of the value of `antichain:limits`: a list of rules. */
export const callLimitRulesForm = z.array(ruleForm).max(rulesMax)

/**
 * Returns the rules of a stack's configuration, or an empty list if it has none. Throws
 * CONFIG_INVALID with the number of the wrong rule, counted from 1. Source: docs/limits.md.
 */
export function readCallLimitRules(
  config: ReadonlyMap<string, ConfigValue>,
): readonly CallLimitRule[] {
  const value = config.get(callLimitsKey)
  if (value === undefined) return []
  const parsed = parseForm(callLimitRulesForm, parseList(value))
  if (!parsed.success) throw createInvalidLimitsError(describeIssue(parsed.error.issues[0]))
  return parsed.data.map(rule => removeUndefined(rule))
}

function parseList({ text, isObject }: ConfigValue): unknown {
  if (!isObject) throw createInvalidLimitsError('is not a list of rules')
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw createInvalidLimitsError(messageOf(thrown))
  }
}

function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  const [index, ...path] = issue?.path ?? []
  if (typeof index !== 'number') return `is not a list of at most ${rulesMax} rules`
  const location = [`rule ${index + 1}`, path.join('.')].filter(text => text !== '').join(', ')
  return `${location}: ${issue?.message ?? 'is invalid'}`
}

/** Returns a rule without fields that are undefined. */
function removeUndefined(rule: z.output<typeof ruleForm>): CallLimitRule {
  const fields = Object.entries(rule).filter(([, value]) => value !== undefined)
  return Object.fromEntries(fields)
}

function createInvalidLimitsError(problem: string): Error {
  return createError('CONFIG_INVALID', `the limits of calls (${callLimitsKey}) ${problem}`)
}
