import type { BeginRequest, BeginResult, OperationsPort } from '../../shared/ports/records.ts'
import { freshHead, type Head, type Verdict } from '../../shared/records/head.ts'
import type { DeploymentId, OperationId, OwnerToken } from '../../shared/records/ids.ts'
import type { Requester, HeadEvent } from '../../shared/records/transitions.ts'

/** A request to a head, with the attempt that it names. Only a `select` has a verdict. */
export interface AttemptRequest {
  readonly event: HeadEvent
  readonly owner: OwnerToken | ''
  readonly attempt: number
  readonly verdict?: Verdict
}

/** The effect of a request on a head, as the checks need it. */
export interface HeadChange {
  /** `<deployment> <operation>` */
  readonly headKey: string
  readonly event: HeadEvent
  readonly requester: Requester
  /** Whether the request names the attempt that the head had before. */
  readonly isCurrent: boolean
  readonly before: Head
  readonly after: Head
  /** Whether the request was answered as done. */
  readonly isDone: boolean
}

/** A request that changes a head, with its operation. */
export interface SimHeadRequest extends AttemptRequest {
  readonly deployment: DeploymentId
  readonly id: OperationId
}

/**
 * The port methods that change heads. `lapse` removes the owner of a begun operation that may be
 * repeated, and `giveBack` the owner of one that has not called its provider.
 */
export type HeadWrites = Pick<OperationsPort, HeadEvent>

/** Returns the head request of a port call. The arguments are those of the method `event`. */
export function headRequestOf(event: HeadEvent, args: readonly unknown[]): SimHeadRequest {
  const [deployment, id] = args as Parameters<HeadWrites['arrive']>
  const requestFields = { event, deployment, id }
  switch (event) {
    case 'arrive':
      return { ...requestFields, owner: '', attempt: 0 }
    case 'giveBack':
    case 'lapse': {
      const [, , owner, attempt] = args as Parameters<HeadWrites['giveBack']>
      return { ...requestFields, owner, attempt }
    }
    case 'begin': {
      const [, , { owner, expectedAttempt }] = args as Parameters<HeadWrites['begin']>
      return { ...requestFields, owner, attempt: expectedAttempt }
    }
    case 'select': {
      const [, , end] = args as Parameters<HeadWrites['select']>
      return { ...requestFields, ...end }
    }
    default:
      return event satisfies never
  }
}

type OwnerAndAttempt = Pick<AttemptRequest, 'owner' | 'attempt'>

/** Returns the effect of a request, from the viewpoint of the checks. */
export function changeOf(
  headKey: string,
  { event, owner, attempt }: AttemptRequest,
  change: Pick<HeadChange, 'before' | 'after' | 'isDone'>,
): HeadChange {
  const { before } = change
  const requester: Requester = owner === '' ? 'none' : owner === before.owner ? 'owner' : 'other'
  return { headKey, event, requester, isCurrent: attempt === before.attempt, ...change }
}

/**
 * Reports whether a request finds its own earlier effect. `isRemovalRecorded`: the head records this
 * give-back or lapse.
 */
export function isRepetition(
  request: AttemptRequest,
  head: Head,
  isRemovalRecorded: boolean,
): boolean {
  const { event, owner, attempt, verdict } = request
  if (event === 'begin')
    return head.end === undefined && head.owner === owner && head.attempt === attempt + 1
  if (event === 'select')
    return head.end?.verdict === verdict && head.end?.attempt === attempt && head.owner === owner
  return event !== 'arrive' && isRemovalRecorded
}

/**
 * Creates the heads of all operations by `<deployment> <operation>`, with the conditions of the
 * port.
 */
export function createHeads(onChanged: (change: HeadChange) => void) {
  const heads = new Map<string, Head>()
  const ownerRemovals = new Set<string>()
  const recordChange = (
    headKey: string,
    request: AttemptRequest,
    after: Head,
    isDone: boolean,
  ): void => {
    const before = heads.get(headKey) ?? freshHead
    onChanged(changeOf(headKey, request, { before, after, isDone }))
    if (after !== before) heads.set(headKey, after)
  }
  return {
    allHeads: heads,
    getHead: (headKey: string): Head | undefined => heads.get(headKey),
    arrive(deployment: DeploymentId, to: OperationId, from: OperationId): Head {
      const headKey = `${deployment} ${to}`
      const before = heads.get(headKey) ?? freshHead
      const isNew = !before.arrived.includes(from)
      const after = isNew ? { ...before, arrived: [...before.arrived, from] } : before
      recordChange(headKey, { event: 'arrive', owner: '', attempt: before.attempt }, after, isNew)
      return after
    },
    begin(headKey: string, beginRequest: BeginRequest): BeginResult {
      const { owner, executor, expectedAttempt: attempt, needs } = beginRequest
      const request = { event: 'begin', owner, attempt } as const
      const head = heads.get(headKey) ?? freshHead
      const isFree = head.end === undefined && (head.owner === '' || head.owner === owner)
      if (isFree && head.attempt === attempt && head.arrived.length >= needs) {
        const after = { ...head, owner, executor, attempt: attempt + 1 }
        recordChange(headKey, request, after, true)
        return { kind: 'begun', attempt: attempt + 1 }
      }
      const isRepeated = isRepetition(request, head, false)
      recordChange(headKey, request, head, isRepeated)
      return isRepeated ? { kind: 'begun', attempt: head.attempt } : { kind: 'refused', head }
    },
    removeOwner(
      headKey: string,
      request: OwnerAndAttempt & { readonly event: 'giveBack' | 'lapse' },
    ): boolean {
      const { owner, attempt, event } = request
      const head = heads.get(headKey) ?? freshHead
      const removalKey = `${headKey} ${event} ${owner} ${attempt}`
      const isOwnedByRequester = head.end === undefined && owner !== '' && head.owner === owner
      if (isOwnedByRequester && head.attempt === attempt) {
        const givenBack = head.givenBack + (event === 'giveBack' ? 1 : 0)
        const after: Head = { ...head, owner: '', executor: '', givenBack }
        recordChange(headKey, request, after, true)
        ownerRemovals.add(removalKey)
        return true
      }
      // A store records a give-back or lapse in the head. A deleted head has lost this record.
      const isRepeated = isRepetition(
        request,
        head,
        heads.has(headKey) && ownerRemovals.has(removalKey),
      )
      recordChange(headKey, request, head, isRepeated)
      return isRepeated
    },
    select(headKey: string, end: OwnerAndAttempt & { readonly verdict: Verdict }): boolean {
      const { owner, attempt, verdict } = end
      const request = { event: 'select', ...end } as const
      const head = heads.get(headKey) ?? freshHead
      if (head.end === undefined && head.owner === owner && head.attempt === attempt) {
        const after = { ...head, end: { verdict, attempt } }
        recordChange(headKey, request, after, true)
        return true
      }
      const isRepeated = isRepetition(request, head, false)
      recordChange(headKey, request, head, isRepeated)
      return isRepeated
    },
  }
}
