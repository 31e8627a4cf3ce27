import { createHash } from 'node:crypto'
import type { PropertyMap, PropertyValue } from '../../values/value.ts'
import type { CallLimitRule, LimitedCall } from '../../programs/config/call-limit-rules.ts'
import type { CallLimit } from './call-limit.ts'

/** The parts of a provider call that rules use. */
export interface LimitableCall {
  readonly call: LimitedCall
  /** The type of the resource. */
  readonly type: string
  /** Returns the inputs of the resource and of its provider. Called only for rules with `by`. */
  readonly readInputs: () => Promise<readonly PropertyMap[]>
  /**
   * Reports whether the operation already has an owner or an end. This call then waits for no
   * limit, because its begin is refused.
   */
  readonly isBegun: () => Promise<boolean>
  /** Called before the call waits for a limit. */
  readonly onWait: () => void
}

/**
 * Returns the limits of a call, in the order of their names. Rules whose limits have the same name
 * become one limit, with the slowest rate and the lowest concurrency.
 */
export async function matchLimits(
  rules: readonly CallLimitRule[],
  call: LimitableCall,
): Promise<readonly CallLimit[]> {
  const limits = new Map<string, CallLimit>()
  for (const rule of rules) {
    if (!isMatch(rule, call)) continue
    const limit = await toLimit(rule, call)
    const earlierLimit = limits.get(limit.name)
    limits.set(limit.name, earlierLimit === undefined ? limit : mergeLimits(earlierLimit, limit))
  }
  return [...limits.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function mergeLimits(a: CallLimit, b: CallLimit): CallLimit {
  const slower = b.intervalMs > a.intervalMs ? b : a
  const concurrency = Math.min(a.concurrency ?? Infinity, b.concurrency ?? Infinity)
  const { concurrency: _, ...rate } = slower
  return concurrency === Infinity ? rate : { ...rate, concurrency }
}

/** Returns the limit of a package without a rule. It adapts to the throttling of the provider. */
export function adaptiveLimitOf(pkg: string): CallLimit {
  return {
    name: hashToName(['package', pkg]),
    label: pkg,
    isShared: false,
    intervalMs: 0,
    burst: 1,
  }
}

/** Returns the package of a type. The type of a provider has the package as its last part. */
export function limitedPackageOf(type: string): string {
  const providerPrefix = 'pulumi:providers:'
  if (type.startsWith(providerPrefix)) return type.slice(providerPrefix.length)
  return type.split(':', 1)[0] ?? type
}

function isMatch(rule: CallLimitRule, { call, type }: LimitableCall): boolean {
  if (rule.provider !== undefined && rule.provider !== limitedPackageOf(type)) return false
  if (rule.type !== undefined && !isTypeMatch(rule.type, type)) return false
  return rule.operations === undefined || rule.operations.includes(call)
}

/** Compares a type with a pattern in linear time, because a pattern may have many stars. */
function isTypeMatch(pattern: string, type: string): boolean {
  const [prefix = '', ...middleParts] = pattern.split('*')
  if (!type.startsWith(prefix)) return false
  const suffix = middleParts.pop()
  if (suffix === undefined) return type === pattern
  let position = prefix.length
  for (const part of middleParts) {
    const partPosition = type.indexOf(part, position)
    if (partPosition < 0) return false
    position = partPosition + part.length
  }
  return type.length - suffix.length >= position && type.endsWith(suffix)
}

async function toLimit(rule: CallLimitRule, call: LimitableCall): Promise<CallLimit> {
  const { provider, type, operations, by = [], key, rate, burst = 1, concurrency } = rule
  const inputs = by.length === 0 ? [] : await call.readInputs()
  const values = by.map(name => [name, inputTextOf(inputs, name)] as const)
  const conditions = [provider, type, operations?.join(', ')].filter(text => text !== undefined)
  const label = [
    key ?? conditions.join(' '),
    ...(values.length === 0
      ? []
      : [`(${values.map(([name, value]) => `${name}=${value}`).join(', ')})`]),
  ].join(' ')
  return {
    name: hashToName(key === undefined ? ['rule', conditions, values] : ['key', key, values]),
    label,
    isShared: key !== undefined,
    intervalMs: rate === undefined ? 0 : rate.perMs / rate.calls,
    burst,
    ...(concurrency === undefined ? {} : { concurrency }),
  }
}

/**
 * Returns the first input with this name that is a text, number or boolean, as a short text.
 * Returns '' if there is none. A secret is skipped, because labels show the text.
 */
function inputTextOf(inputs: readonly PropertyMap[], name: string): string {
  const value = inputs.map(map => map.get(name)).find(input => isPlain(input))
  return value === undefined ? '' : String(value).slice(0, 100)
}

function isPlain(value: PropertyValue | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** Hashes `parts` to a name of fixed length, because names of records have a maximum length. */
function hashToName(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)
}
