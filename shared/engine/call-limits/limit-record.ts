import { createHash } from 'node:crypto'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { CallLimit } from './call-limit.ts'

/** The state of one limit. All times are ms since 1970. */
export interface LimitRecord {
  readonly label: string
  /** The rule at the last granted start. Before a start: the rule at the record's creation. */
  readonly rule: LimitRule
  /** The time at which the next call may start if the limit has no burst. */
  readonly nextAt: number
  /** The deployments that used the limit or waited for it recently. */
  readonly deployments: Readonly<Record<string, DeploymentShare>>
  /**
   * The running calls, if the limit has a `concurrency`: the number of its places. Each running
   * call takes one place. Call id → the time at which the call counts as ended, unless its process
   * extends it.
   */
  readonly calls: Readonly<Record<string, number>>
  /** The rate after throttling. Absent: the provider does not throttle. */
  readonly slowdown?: Slowdown
}

/** The fields of a limit that a rule sets. */
type LimitRule = Pick<CallLimit, 'intervalMs' | 'burst' | 'concurrency'>

/** The use of a limit by one deployment. */
interface DeploymentShare {
  readonly seenAt: number
  /** The time from which its next call may start while other deployments use the limit. */
  readonly nextAt: number
}

/** A rate that follows the throttling of a provider. */
interface Slowdown {
  readonly callsPerSecond: number
  readonly loweredAt: number
  readonly raisedAt: number
}

/** The request of a call for a start. */
export interface CallRequest {
  /**
   * The id of the call, from `callIdOf`. Repeated requests with the same id take only one place.
   */
  readonly id: string
  readonly deployment: DeploymentId
  readonly now: number
  /** The longest wait of the caller for the start of the call, in ms. Absent: no maximum. */
  readonly waitMaxMs?: number
}

/**
 * The result of a call, as far as its limits need it. `other`: the call failed without throttling,
 * or was not made.
 */
export type LimitedResult = 'throttled' | 'succeeded' | 'other'

/** A granted start: the call may start at `startAt`. */
export interface GrantedStart {
  readonly kind: 'granted'
  readonly startAt: number
}

/** The answer of a limit. `waiting`: the caller asks again at `retryAt`. */
type LimitDecision = GrantedStart | { readonly kind: 'waiting'; readonly retryAt: number }

/** Time for which a running call is counted without an extension, in ms. */
export const callTimeoutMs = 60_000
/** Time for which a deployment gets a share of the limit after its last request, in ms. */
const shareLifetimeMs = 10_000
/** Age from which the time of the last request is written again, in ms. */
const seenWriteIntervalMs = 3_000
/**
 * Longest time from the reservation of a start to the start, in ms. If the interval of the rate is
 * longer, the interval applies instead.
 */
const reserveAheadMs = 1_000
/** Pause before the next request of a call that waits for the end of another one, in ms. */
const placeRetryMs = 1_000
/** The slowest rate of a slowdown: one call a minute. */
const slowestPerSecond = 1 / 60
/** The rate at which a slowdown ends, unless the rule has a lower rate. */
const fastestPerSecond = 100
/**
 * Shortest time from a decrease to the next change of the rate, in ms. Of the calls of one burst,
 * several are throttled and others succeed.
 */
const lowerIntervalMs = 1_000
/** The increase of a rate in each second with a success, in calls per second. */
const raisePerSecond = 0.5

/** Returns the id of an operation's call. It is short, because a record has up to 500 of them. */
export function callIdOf(deployment: DeploymentId, operation: OperationId): string {
  return `${callPrefixOf(deployment)}${operation}`
}

function callPrefixOf(deployment: DeploymentId): string {
  return `${createHash('sha256').update(deployment).digest('hex').slice(0, 12)} `
}

/** Returns the record of a limit that no call has used. */
export function createLimitRecord(limit: CallLimit): LimitRecord {
  return { label: limit.label, rule: ruleOf(limit), nextAt: 0, deployments: {}, calls: {} }
}

function ruleOf({ intervalMs, burst, concurrency }: CallLimit): LimitRule {
  return { intervalMs, burst, ...(concurrency === undefined ? {} : { concurrency }) }
}

/**
 * Decides whether a call may start. Returns the changed record, or the same one when nothing must
 * be written. The rate is a token bucket, kept as the time of the next start. Deployments that use
 * one limit get equal shares: each may start only every n-th call, where n is their number. Pure.
 */
export function requestCall(
  record: LimitRecord,
  limit: CallLimit,
  { id, deployment, now, waitMaxMs = Infinity }: CallRequest,
): { readonly record: LimitRecord; readonly decision: LimitDecision } {
  const current = removeExpired(record, now)
  const share = current.deployments[deployment]
  const deploymentCount = Object.keys({ ...current.deployments, [deployment]: true }).length
  const wait = (retryAt: number): ReturnType<typeof requestCall> => {
    const isSeen = share !== undefined && now - share.seenAt < seenWriteIntervalMs
    const nextAt = share?.nextAt ?? 0
    return {
      record: isSeen ? record : withShare(current, deployment, { seenAt: now, nextAt }),
      decision: { kind: 'waiting', retryAt },
    }
  }
  const isRunning = Object.hasOwn(current.calls, id)
  if (!isRunning && mustWaitForPlace(current, limit, { deployment, deploymentCount }))
    return wait(now + placeRetryMs)
  const intervalMs = intervalOf(current, limit)
  const aheadMs = Math.min(waitMaxMs, Math.max(reserveAheadMs, intervalMs))
  // A slowed limit has no burst. Otherwise many calls could start each time its rate is lowered.
  const burst = current.slowdown === undefined ? limit.burst : 1
  // Stacks can share a limit under rules with different rates. A slower rule must not delay the
  // calls of the other stacks.
  const nextAtMax = now + Math.max(reserveAheadMs, intervalMs) + burst * intervalMs
  const lastNextAt = current.nextAt > nextAtMax ? now : current.nextAt
  const startAt = Math.max(now, lastNextAt - (burst - 1) * intervalMs)
  // The share has some tolerance, because clocks and waits are not exact.
  const shareAt = deploymentCount === 1 || share === undefined ? 0 : share.nextAt - intervalMs / 10
  if (shareAt > startAt) return wait(shareAt)
  if (startAt - now > aheadMs) return wait(startAt - aheadMs)
  const nextAt = intervalMs === 0 ? 0 : Math.max(lastNextAt, startAt) + intervalMs
  const grantedRecord = withShare({ ...current, rule: ruleOf(limit), nextAt }, deployment, {
    seenAt: now,
    nextAt: startAt + intervalMs * deploymentCount,
  })
  const calls = { ...current.calls, [id]: startAt + callTimeoutMs }
  return {
    record: limit.concurrency === undefined ? grantedRecord : { ...grantedRecord, calls },
    decision: { kind: 'granted', startAt },
  }
}

/**
 * Counts a call from its actual start `now`, which is later than its granted start. Without a burst
 * the next call starts a whole interval later. Returns the same record when nothing must be
 * written. Pure.
 */
export function recordLateStart(record: LimitRecord, limit: CallLimit, now: number): LimitRecord {
  const intervalMs = intervalOf(record, limit)
  const nextAt = now + intervalMs
  return intervalMs === 0 || nextAt <= record.nextAt ? record : { ...record, nextAt }
}

/**
 * Extends the running calls of a process. Returns the same record when it contains none of these
 * calls. Pure.
 */
export function extendCalls(
  record: LimitRecord,
  { ids, now }: { readonly ids: ReadonlySet<string>; readonly now: number },
): LimitRecord {
  const extendedIds = Object.keys(record.calls).filter(id => ids.has(id))
  if (extendedIds.length === 0) return record
  const expiresAt = now + callTimeoutMs
  const changes = extendedIds.map(id => [id, expiresAt] as const)
  return { ...record, calls: { ...record.calls, ...Object.fromEntries(changes) } }
}

/**
 * Ends a call. A throttled call halves the rate. A success raises a lowered rate slowly, up to the
 * rate of the rule. `observedPerSecond`: the rate of the calls before the first throttling. Returns
 * the same record when nothing must be written. Pure.
 */
export function endCall(
  record: LimitRecord,
  limit: CallLimit,
  end: {
    readonly id: string
    readonly now: number
    readonly result: LimitedResult
    readonly observedPerSecond: number
  },
): LimitRecord {
  const { [end.id]: expiresAt, ...calls } = record.calls
  const withoutCall = expiresAt === undefined ? record : { ...record, calls }
  if (end.result === 'throttled') return lowerRate(withoutCall, limit, end)
  if (end.result === 'succeeded') return raiseRate(withoutCall, limit, end.now)
  return withoutCall
}

/** Returns the number of the second that contains a time. */
export function secondOf(timeMs: number): number {
  return Math.floor(timeMs / 1_000)
}

/** Returns the calls per second that a limit allows now. Undefined: the rate is not limited. */
export function currentRateOf(
  record: LimitRecord,
  limit: Pick<CallLimit, 'intervalMs'> = record.rule,
): number | undefined {
  const intervalMs = intervalOf(record, limit)
  return intervalMs === 0 ? undefined : 1_000 / intervalMs
}

function intervalOf(
  { slowdown }: LimitRecord,
  { intervalMs }: Pick<CallLimit, 'intervalMs'>,
): number {
  return slowdown === undefined ? intervalMs : Math.max(intervalMs, 1_000 / slowdown.callsPerSecond)
}

function lowerRate(
  record: LimitRecord,
  limit: CallLimit,
  { now, observedPerSecond }: { readonly now: number; readonly observedPerSecond: number },
): LimitRecord {
  const { slowdown } = record
  if (slowdown !== undefined && now - slowdown.loweredAt < lowerIntervalMs) return record
  const currentPerSecond = currentRateOf(record, limit) ?? Math.max(1, observedPerSecond)
  const callsPerSecond = Math.max(slowestPerSecond, currentPerSecond / 2)
  return { ...record, slowdown: { callsPerSecond, loweredAt: now, raisedAt: now } }
}

/** Raises a rate once in each second with a success. Seconds without one raise nothing. */
function raiseRate(record: LimitRecord, limit: CallLimit, now: number): LimitRecord {
  const { slowdown, ...withoutSlowdown } = record
  if (slowdown === undefined || now - slowdown.loweredAt < lowerIntervalMs) return record
  if (secondOf(now) <= secondOf(slowdown.raisedAt)) return record
  const callsPerSecond = slowdown.callsPerSecond + raisePerSecond
  const rulePerSecond = limit.intervalMs === 0 ? fastestPerSecond : 1_000 / limit.intervalMs
  if (callsPerSecond >= rulePerSecond) return withoutSlowdown
  return { ...withoutSlowdown, slowdown: { ...slowdown, callsPerSecond, raisedAt: now } }
}

/**
 * Reports whether a limit has no free place, or the deployment already uses its share of the
 * places.
 */
function mustWaitForPlace(
  { calls }: LimitRecord,
  { concurrency }: CallLimit,
  {
    deployment,
    deploymentCount,
  }: { readonly deployment: DeploymentId; readonly deploymentCount: number },
): boolean {
  if (concurrency === undefined) return false
  const runningIds = Object.keys(calls)
  if (runningIds.length >= concurrency) return true
  const prefix = callPrefixOf(deployment)
  const usedCount = runningIds.filter(id => id.startsWith(prefix)).length
  return deploymentCount > 1 && usedCount >= Math.ceil(concurrency / deploymentCount)
}

function withShare(
  record: LimitRecord,
  deployment: DeploymentId,
  share: DeploymentShare,
): LimitRecord {
  return { ...record, deployments: { ...record.deployments, [deployment]: share } }
}

/** Removes the calls of dead processes, and the deployments that no longer use the limit. */
function removeExpired(record: LimitRecord, now: number): LimitRecord {
  const calls = Object.entries(record.calls).filter(([, expiresAt]) => expiresAt > now)
  const deployments = Object.entries(record.deployments).filter(
    ([, { seenAt, nextAt }]) => Math.max(seenAt, nextAt) + shareLifetimeMs > now,
  )
  return {
    ...record,
    calls: Object.fromEntries(calls),
    deployments: Object.fromEntries(deployments),
  }
}
