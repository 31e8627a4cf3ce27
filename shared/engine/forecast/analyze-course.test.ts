import { describe, expect, test } from 'vitest'
import { timelineOf } from '../../journal/timeline.ts'
import { nameOf } from '../../names/urn.ts'
import type { Outcome, Verdict } from '../../records/head.ts'
import type { BlobHash, EpochMs, LogNumber, OperationId, WriterToken } from '../../records/ids.ts'
import type { Decision, LogRecord } from '../../records/log.ts'
import type { Operation } from '../../records/operation.ts'
import { analyzeCourse } from './analyze-course.ts'
import { forecastUrnOf } from './forecast.fixture.ts'

/** An operation with the times of its call. */
interface EndedOperation {
  readonly operation: Operation
  readonly began?: number
  readonly ended?: number
  readonly attempts?: number
  readonly pausedMs?: number
  readonly isLimited?: true
  readonly verdict?: Verdict
}

/** Creates an operation. `dependencyNames`: the names of the dependencies in its state. */
function operationOf(
  id: number,
  name: string,
  fields: Partial<Operation> & { readonly dependencyNames?: readonly string[] } = {},
): Operation {
  const { dependencyNames = [], ...otherFields } = fields
  const urn = forecastUrnOf(name)
  const dependencies = dependencyNames.map(dependency => forecastUrnOf(dependency))
  return {
    id: id as OperationId,
    op: 'create',
    urn,
    type: 'a:b:C',
    provider: '',
    effect: 'add',
    state: { urn, type: 'a:b:C', custom: true, dependencies },
    needs: 0,
    releases: [],
    logical: true,
    ...otherFields,
  }
}

const registrationOf = (...endedOperations: readonly EndedOperation[]): Decision => ({
  kind: 'registration',
  urn: forecastUrnOf('x'),
  goal: '',
  operations: endedOperations.map(({ operation }) => operation),
  sets: {},
})

/** Analyzes a deployment from 0 to `endedMs`. `log`: the time and decisions of each record. */
function analyze(
  log: readonly (readonly [at: number, ...decisions: readonly Decision[]])[],
  endedOperations: readonly EndedOperation[],
  { endedMs, parallel = 4 }: { readonly endedMs: number; readonly parallel?: number },
) {
  const records = log.map(
    ([at, ...decisions], index): LogRecord => ({
      number: index as LogNumber,
      writer: 'w' as WriterToken,
      at: at as EpochMs,
      decisions,
    }),
  )
  const ends = new Map(
    endedOperations.map(
      ({ operation, began = 0, ended = 0, attempts = 1, verdict = 'succeeded', ...fields }) => {
        const head = {
          arrived: [],
          attempt: attempts,
          owner: '' as const,
          executor: '' as const,
          givenBack: 0,
          end: { verdict, attempt: attempts },
        }
        const outcome = {
          operation: operation.id,
          attempt: attempts,
          verdict,
          startedAt: began,
          endedAt: ended,
          ...fields,
        } as Outcome
        return [operation.id, operation.op === 'join' ? { head } : { head, outcome }] as const
      },
    ),
  )
  const getEnd = (id: OperationId) => ends.get(id)
  const planned = endedOperations
    .map(({ operation }) => operation)
    .filter(({ op }) => op !== 'create')
  const getPage = (): readonly Operation[] => planned
  const timeline = timelineOf({ records, getPage, getEnd })
  return analyzeCourse({ timeline, getEnd, startedMs: 0, endedMs, parallel })
}

const namesOf = ({ criticalPath }: ReturnType<typeof analyze>): readonly string[] =>
  criticalPath.steps.map(({ urn }) => nameOf(urn))

describe('course of a program', () => {
  const network = { operation: operationOf(1, 'network'), began: 110, ended: 410 }
  const cache = {
    operation: operationOf(2, 'cache', { dependencyNames: ['network'] }),
    began: 425,
    ended: 500,
  }
  const database = {
    operation: operationOf(3, 'database', { dependencyNames: ['network'] }),
    began: 425,
    ended: 1_000,
  }
  const page = {
    operation: operationOf(4, 'page', { dependencyNames: ['database', 'cache'] }),
    began: 1_020,
    ended: 1_100,
  }
  const log = [
    [100, registrationOf(network)],
    [420, registrationOf(cache), registrationOf(database)],
    [1_010, registrationOf(page)],
  ] as const
  const steps = [network, cache, database, page]

  test('follows the dependency that ended last, and its parts add up to the duration', () => {
    const course = analyze(log, steps, { endedMs: 1_150 })
    expect(namesOf(course)).toEqual(['network', 'database', 'page'])
    expect(course).toMatchObject({
      wallMs: 1_150,
      time: { callMs: 300 + 575 + 80, slotMs: 0, limitMs: 0, retryMs: 0 },
      criticalPath: { stepCount: 3, ms: 955 },
      total: { steps: 4, callMs: 1_030, retriedSteps: 0 },
    })
    // Before the first begin, between the steps, and after the last end.
    expect(course.time.engineMs).toBe(110 + 15 + 20 + 50)
    expect(course.criticalPath.steps.map(({ engineMs }) => engineMs)).toEqual([110, 15, 20])
  })

  test('counts the pauses and the repeated attempts of a step as retries', () => {
    const retried = [
      network,
      cache,
      { ...database, pausedMs: 100 },
      { ...page, attempts: 2, began: 1_060, verdict: 'failed' as const },
    ]
    const course = analyze(log, retried, { endedMs: 1_100 })
    expect(course.time).toMatchObject({ callMs: 300 + 475 + 40, retryMs: 100 + 50 })
    expect(course.total).toMatchObject({ retriedSteps: 2, retryMs: 150 })
    expect(course.criticalPath.steps.at(-1)?.verdict).toBe('failed')
  })

  test('counts the wait of a call with limits, apart from the time without a slot', () => {
    const first = { operation: operationOf(1, 'first'), began: 0, ended: 100 }
    const limited = {
      operation: operationOf(2, 'second'),
      began: 1_100,
      ended: 1_300,
      isLimited: true as const,
    }
    const records = [[0, registrationOf(first), registrationOf(limited)]] as const
    const course = analyze(records, [first, limited], { endedMs: 1_300, parallel: 1 })
    expect(course.time).toEqual({
      callMs: 200,
      slotMs: 100,
      limitMs: 1_000,
      retryMs: 0,
      engineMs: 0,
    })
    expect(course.total).toMatchObject({ limitMs: 1_000 })
    expect(course.criticalPath.ms).toBe(1_300)
  })

  test('counts the wait for a slot while all slots are in use', () => {
    const first = { operation: operationOf(1, 'first'), began: 0, ended: 100 }
    const second = { operation: operationOf(2, 'second'), began: 105, ended: 300 }
    const records = [[0, registrationOf(first), registrationOf(second)]] as const
    const course = analyze(records, [first, second], { endedMs: 300, parallel: 1 })
    expect(namesOf(course)).toEqual(['second'])
    expect(course.time).toEqual({ callMs: 195, slotMs: 100, limitMs: 0, retryMs: 0, engineMs: 5 })
    expect(course.total).toMatchObject({ slotMs: 100 })
    const withTwoSlots = analyze(records, [first, second], { endedMs: 300, parallel: 2 })
    expect(withTwoSlots.time).toMatchObject({ slotMs: 0, engineMs: 105 })
  })
})

describe('course of deletes', () => {
  const top = { operation: operationOf(1, 'top', { op: 'delete', releases: [3 as OperationId] }) }
  const side = { operation: operationOf(2, 'side', { op: 'delete', releases: [3 as OperationId] }) }
  const join = {
    operation: operationOf(3, 'join', { op: 'join', needs: 2, releases: [4 as OperationId] }),
  }
  const base = {
    operation: operationOf(4, 'base', { op: 'delete', needs: 1 }),
    began: 260,
    ended: 300,
  }
  const plan: Decision = {
    kind: 'plan',
    what: 'deletes',
    pages: ['page' as BlobHash],
    operations: 4,
  }

  test('leads through joins, and counts the waits for other steps', () => {
    const endedOperations = [
      { ...top, began: 10, ended: 100 },
      { ...side, began: 10, ended: 250 },
      join,
      base,
    ]
    const course = analyze([[5, plan]], endedOperations, { endedMs: 310 })
    expect(namesOf(course)).toEqual(['side', 'base'])
    expect(course.time).toEqual({ callMs: 280, slotMs: 0, limitMs: 0, retryMs: 0, engineMs: 30 })
    expect(course.total).toMatchObject({ steps: 3, dependencyMs: 245 })
  })

  test('begins, after a program, with the step that ended last before the plan', () => {
    const created = { operation: operationOf(9, 'created'), began: 20, ended: 120 }
    const endedOperations = [
      { ...top, began: 140, ended: 200 },
      { ...side, began: 140, ended: 150 },
      join,
      { ...base, began: 205, ended: 210 },
    ]
    const log = [
      [10, registrationOf(created)],
      [130, plan],
    ] as const
    const course = analyze(log, [...endedOperations, created], { endedMs: 220 })
    expect(namesOf(course)).toEqual(['created', 'top', 'base'])
  })
})

test('the duration of a deployment without steps is the time of the engine', () => {
  expect(analyze([], [], { endedMs: 40 })).toEqual({
    wallMs: 40,
    parallel: 4,
    time: { callMs: 0, slotMs: 0, limitMs: 0, retryMs: 0, engineMs: 40 },
    criticalPath: { ms: 0, stepCount: 0, steps: [] },
    total: {
      steps: 0,
      callMs: 0,
      slotMs: 0,
      limitMs: 0,
      dependencyMs: 0,
      retryMs: 0,
      retriedSteps: 0,
    },
  })
})
