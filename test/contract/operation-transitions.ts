import { describe, expect, test } from 'vitest'
import type { OperationsPort } from '../../shared/ports/records.ts'
import { type Head, freshHead } from '../../shared/records/head.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import {
  type Requester,
  type HeadEvent,
  type HeadRequest,
  type HeadState,
  headStateOf,
  transitionOf,
} from '../../shared/records/transitions.ts'
import {
  type OpenAdapter,
  toExecutorId,
  createDeploymentId,
  toOperationId,
  toOwnerToken,
  withAdapter,
} from './open-adapter.ts'

const needs = 2
const id = toOperationId(1)
const executor = toExecutorId('e')

/** The objects that a case needs to act on one head. */
interface Subject {
  readonly operations: OperationsPort
  readonly deployment: DeploymentId
}

type HeadAction = (subject: Subject) => Promise<unknown>

const arrive =
  (from: number): HeadAction =>
  ({ operations, deployment }) =>
    operations.arrive(deployment, id, toOperationId(from))
const begin =
  (owner: string, expectedAttempt: number): HeadAction =>
  async ({ operations, deployment }) =>
    (
      await operations.begin(deployment, id, {
        owner: toOwnerToken(owner),
        executor,
        expectedAttempt,
        needs,
      })
    ).kind === 'begun'
const giveBack =
  (owner: string, attempt: number): HeadAction =>
  ({ operations, deployment }) =>
    operations.giveBack(deployment, id, toOwnerToken(owner), attempt)
const lapse =
  (owner: string, attempt: number): HeadAction =>
  ({ operations, deployment }) =>
    operations.lapse(deployment, id, toOwnerToken(owner), attempt)
const select =
  (owner: string, attempt: number): HeadAction =>
  ({ operations, deployment }) => {
    const token = owner === '' ? '' : toOwnerToken(owner)
    return operations.select(deployment, id, { owner: token, attempt, verdict: 'succeeded' })
  }

const arrivals = [arrive(8), arrive(9)]

/** Sequences of requests that lead to each state. The owner, if any, is `o`. */
const statePaths: readonly (readonly [HeadState, string, readonly HeadAction[]])[] = [
  ['decided', 'nothing arrived', []],
  ['decided', 'one arrival', [arrive(8)]],
  ['ready', 'all arrived', arrivals],
  ['ready', 'given back', [...arrivals, begin('x', 0), giveBack('x', 1)]],
  ['begun', 'first attempt', [...arrivals, begin('o', 0)]],
  ['begun', 'after a give back', [...arrivals, begin('x', 0), giveBack('x', 1), begin('o', 1)]],
  ['begun', 'after a lapse', [...arrivals, begin('x', 0), lapse('x', 1), begin('o', 1)]],
  ['unowned', 'lapsed', [...arrivals, begin('x', 0), lapse('x', 1)]],
  [
    'unowned',
    'given back after a lapse',
    [...arrivals, begin('x', 0), lapse('x', 1), begin('y', 1), giveBack('y', 2)],
  ],
  ['ended', 'by its owner', [...arrivals, begin('o', 0), select('o', 1)]],
  ['ended', 'by recovery', [...arrivals, begin('x', 0), lapse('x', 1), select('', 1)]],
  ['ended', 'a join', [...arrivals, select('', 0)]],
]

const events: readonly Exclude<HeadEvent, 'arrive'>[] = ['begin', 'giveBack', 'lapse', 'select']
const requesters: readonly Requester[] = ['owner', 'other', 'none']

/**
 * Returns the requests that the suite sends to a head in a state: every event except an arrival, by
 * every possible requester. `operations.ts` tests most repetitions.
 */
function listRequestsOf(state: HeadState): readonly HeadRequest[] {
  const isOwned = state === 'begun' || state === 'ended'
  return events.flatMap(event =>
    requesters
      .filter(requester => (requester === 'none' ? event !== 'begin' : true))
      .filter(requester => (requester === 'owner' ? isOwned : true))
      .flatMap(requester =>
        (['current', 'stale'] as const).map(attempt => ({
          event,
          requester,
          attempt,
          isRepeated: false,
          isLastArrival: false,
        })),
      ),
  )
}

function findHeadAction(request: HeadRequest, head: Head): HeadAction {
  const owner = request.requester === 'other' ? 'other' : request.requester === 'owner' ? 'o' : ''
  // An attempt that is not the last one of the head counts as stale.
  const attempt = request.attempt === 'current' ? head.attempt : head.attempt + 3
  const actions = { begin, giveBack, lapse, select, arrive: () => arrive(10) }
  return actions[request.event](owner, attempt)
}

/** Returns the head after a permitted request. */
function createExpectedHead(head: Head, request: HeadRequest): Partial<Head> {
  const { attempt, givenBack } = head
  const owner = request.requester === 'other' ? 'other' : 'o'
  switch (request.event) {
    case 'begin':
      return { attempt: attempt + 1, givenBack, owner: toOwnerToken(owner), executor }
    case 'giveBack':
      return { attempt, givenBack: givenBack + 1, owner: '', executor: '' }
    case 'lapse':
      return { attempt, givenBack, owner: '', executor: '' }
    case 'select':
      return { attempt, givenBack, end: { verdict: 'succeeded', attempt } }
    case 'arrive':
      return { attempt, givenBack }
  }
}

/** Tests every state of a head against every request, as the table of transitions defines. */
export function defineOperationTransitionsContract(
  name: string,
  open: OpenAdapter<{ readonly operations: OperationsPort }>,
): void {
  describe(`transitions of a head: ${name}`, () => {
    let operations: OperationsPort
    withAdapter(open, adapter => {
      operations = adapter.operations
    })

    const prepare = async (actions: readonly HeadAction[]): Promise<Subject> => {
      const subject = { operations, deployment: createDeploymentId() }
      for (const action of actions) await action(subject)
      return subject
    }
    const headOf = async ({ deployment }: Subject): Promise<Head> =>
      (await operations.getHeads(deployment, [id])).get(id) ?? freshHead

    for (const [state, pathLabel, actions] of statePaths) {
      test(`${state} (${pathLabel}) is reached`, async () => {
        expect(headStateOf(await headOf(await prepare(actions)), needs)).toBe(state)
      })
      for (const request of listRequestsOf(state)) {
        const { event, requester, attempt } = request
        test(`${state} (${pathLabel}): ${event} by ${requester}, ${attempt} attempt`, async () => {
          const subject = await prepare(actions)
          const head = await headOf(subject)
          const isRepeat = event === 'select' && isExistingEnd(head, request)
          const transition = transitionOf(state, { ...request, isRepeated: isRepeat }, head)
          const answer = await findHeadAction(request, head)(subject)
          const after = await headOf(subject)
          expect(answer).toBe(transition !== undefined)
          if (transition?.action !== 'writes') return expect(after).toEqual(head)
          expect(headStateOf(after, needs)).toBe(transition.to)
          expect(after).toMatchObject(createExpectedHead(head, request))
        })
      }
      test(`${state} (${pathLabel}): an arrival`, async () => {
        const subject = await prepare(actions)
        const head = await headOf(subject)
        const isLastArrival = head.arrived.length + 1 >= needs
        const request: HeadRequest = {
          event: 'arrive',
          requester: 'none',
          attempt: 'current',
          isRepeated: false,
          isLastArrival,
        }
        const transition = transitionOf(state, request, head)
        await arrive(10)(subject)
        const after = await headOf(subject)
        expect(after).toEqual({ ...head, arrived: [...head.arrived, toOperationId(10)] })
        expect(headStateOf(after, needs)).toBe(transition?.to)
      })
    }
  })
}

/**
 * Reports whether a select names the existing end. Such a select is a repetition, from any sender.
 */
function isExistingEnd(head: Head, request: HeadRequest): boolean {
  const requestOwner =
    request.requester === 'none' ? '' : request.requester === 'owner' ? 'o' : 'other'
  return head.end !== undefined && head.owner === requestOwner && request.attempt === 'current'
}
