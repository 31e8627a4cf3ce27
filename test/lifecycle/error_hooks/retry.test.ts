import { afterEach, describe, expect, test } from 'vitest'
import type { ErrorHookRequest } from '../../../proto/gen/pulumi/resource.ts'
import { type Cloud, createCloud } from '../cloud.ts'
import type { Program, TestRun } from '../engine.ts'
import { closeProgramFunctions, openProgramFunctions, withHooks } from '../program-functions.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(async () => {
  closeProgramFunctions()
  await engines.close()
})

/** The function of an error hook. It returns whether the failed call is retried. */
type Answer = (hookRequest: ErrorHookRequest, cloud: Cloud) => boolean

/** Returns a program of things with one error hook for each of the answers. */
const program =
  (cloud: Cloud, v: number, names: readonly string[], answers: readonly Answer[]): Program =>
  async monitor => {
    const functions = await openProgramFunctions(monitor)
    const onError: string[] = []
    for (const [index, answer] of answers.entries())
      onError.push(
        await functions.registerErrorHook(`h${index}`, hookRequest => answer(hookRequest, cloud)),
      )
    await Promise.all(
      names.map(name => registerThing(monitor, name, { v }, withHooks({ onError }))),
    )
  }

const operations = [
  { kind: 'Create', fault: 'create a', failed: 'create' },
  { kind: 'Update', fault: 'update a-1', failed: 'update' },
  { kind: 'Delete', fault: 'delete a-1', failed: 'delete' },
] as const

/** Runs an operation of this kind, which fails for each of the names. */
async function run(
  kind: string,
  answers: readonly Answer[],
  names: readonly string[] = ['a'],
): Promise<{ readonly testRun: TestRun; readonly cloud: Cloud; readonly tries: number }> {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  if (kind !== 'Create') await engine.run(program(cloud, 1, names, answers))
  for (const name of names)
    cloud.faults.add(kind === 'Create' ? `create ${name}` : `${kind.toLowerCase()} ${name}-1`)
  const before = cloud.mutatingCalls.length
  const remainingNames = kind === 'Delete' ? [] : names
  const testRun = await engine.run(program(cloud, 2, remainingNames, answers), {
    continueOnError: names.length > 1,
  })
  return { testRun, cloud, tries: cloud.mutatingCalls.length - before }
}

const readWarnings = ({ events }: TestRun): readonly string[] =>
  events.flatMap(event =>
    'diagnosticEvent' in event && event.diagnosticEvent.severity === 'warning'
      ? [event.diagnosticEvent.message]
      : [],
  )

/** The test titles by scenario and failing operation. Each begins with Pulumi's test name. */
const titles = {
  allCalled: {
    Create:
      'TestErrorHooks_OperationIdentifierAndMultipleHooks_Create: all hooks are called, and one is enough for a retry',
    Update:
      'TestErrorHooks_OperationIdentifierAndMultipleHooks_Update: all hooks are called, and one is enough for a retry',
    Delete:
      'TestErrorHooks_OperationIdentifierAndMultipleHooks_Delete: all hooks are called, and one is enough for a retry',
  },
  retried: {
    Create:
      'TestErrorHooks_RetrySemanticsAndNoRetryWhenNoHooks_Create_RetryIfAnyHookReturnsTrue: the call is retried until it succeeds',
    Update:
      'TestErrorHooks_RetrySemanticsAndNoRetryWhenNoHooks_Update_RetryIfAnyHookReturnsTrue: the call is retried until it succeeds',
    Delete:
      'TestErrorHooks_RetrySemanticsAndNoRetryWhenNoHooks_Delete_RetryIfAnyHookReturnsTrue: the call is retried until it succeeds',
  },
  withoutHooks: {
    Create:
      'TestErrorHooks_RetrySemanticsAndNoRetryWhenNoHooks_Create_NoRetryWhenNoHooks: the call is not retried',
    Update:
      'TestErrorHooks_RetrySemanticsAndNoRetryWhenNoHooks_Update_NoRetryWhenNoHooks: the call is not retried',
    Delete:
      'TestErrorHooks_RetrySemanticsAndNoRetryWhenNoHooks_Delete_NoRetryWhenNoHooks: the call is not retried',
  },
  allFalse: {
    Create: 'TestErrorHooks_NoRetryIfAllHooksReturnFalse_Create: the call is not retried',
    Update: 'TestErrorHooks_NoRetryIfAllHooksReturnFalse_Update: the call is not retried',
    Delete: 'TestErrorHooks_NoRetryIfAllHooksReturnFalse_Delete: the call is not retried',
  },
  lastAnswer: {
    Create: 'TestErrorHooks_RetryThenNoRetry_OperationFails_Create: the last answer decides',
    Update: 'TestErrorHooks_RetryThenNoRetry_OperationFails_Update: the last answer decides',
    Delete: 'TestErrorHooks_RetryThenNoRetry_OperationFails_Delete: the last answer decides',
  },
  limit: {
    Create: 'TestErrorHooks_RetryLimitWarningAt100_Create: retries end after 100 attempts',
    Update: 'TestErrorHooks_RetryLimitWarningAt100_Update: retries end after 100 attempts',
    Delete: 'TestErrorHooks_RetryLimitWarningAt100_Delete: retries end after 100 attempts',
  },
  perResource: {
    Create: 'TestErrorHooks_IndependentPerResource_Create: each resource has its own count',
    Update: 'TestErrorHooks_IndependentPerResource_Update: each resource has its own count',
    Delete: 'TestErrorHooks_IndependentPerResource_Delete: each resource has its own count',
  },
} as const

describe.each(operations)('$kind', ({ kind, fault, failed }) => {
  test(titles.allCalled[kind], async () => {
    const seen: ErrorHookRequest[] = []
    const { testRun, tries } = await run(kind, [
      (hookRequest, { faults }) => {
        seen.push(hookRequest)
        faults.delete(fault)
        return true
      },
      hookRequest => {
        seen.push(hookRequest)
        return false
      },
    ])
    expect(testRun.result.result).toBe('succeeded')
    expect(seen.map(({ failedOperation }) => failedOperation)).toEqual([failed, failed])
    expect(seen[0]).toMatchObject({
      name: 'a',
      type: 'test:index:Thing',
      newInputs: kind === 'Delete' ? undefined : { v: 2 },
      oldInputs: kind === 'Create' ? undefined : { v: 1 },
      oldOutputs: kind === 'Create' ? undefined : { v: 1 },
    })
    expect(seen[0]?.errors).toEqual([expect.stringContaining('was refused')])
    expect(tries).toBe(2)
    expect(readWarnings(testRun)).toContain(
      `retrying ${failed} due to on-error hook request (1/100)`,
    )
  })

  test(titles.retried[kind], async () => {
    const { testRun, cloud, tries } = await run(kind, [
      ({ errors }, { faults }) => {
        if (errors.length === 3) faults.delete(fault)
        return true
      },
    ])
    expect(testRun.result.result).toBe('succeeded')
    expect(tries).toBe(4)
    // Failures before a successful retry are not reported as failures of the step.
    const failures = JSON.stringify(testRun.events.filter(event => 'resOpFailedEvent' in event))
    expect(failures).toBe('[]')
    expect(cloud.objects.size).toBe(kind === 'Delete' ? 0 : 1)
    const states = (testRun.state.resources ?? []).filter(({ type }) => type === 'test:index:Thing')
    expect(states).toHaveLength(kind === 'Delete' ? 0 : 1)
  })

  test(titles.withoutHooks[kind], async () => {
    const { testRun, tries } = await run(kind, [])
    expect(testRun.result.result).toBe('failed')
    expect(tries).toBe(1)
  })

  test(titles.allFalse[kind], async () => {
    const { testRun, tries } = await run(kind, [() => false, () => false])
    expect(testRun.result.result).toBe('failed')
    expect(tries).toBe(1)
  })

  test(titles.lastAnswer[kind], async () => {
    const { testRun, tries } = await run(kind, [({ errors }) => errors.length < 3])
    expect(testRun.result.result).toBe('failed')
    expect(tries).toBe(3)
    expect(testRun.events.filter(event => 'resOpFailedEvent' in event)).toHaveLength(1)
  })

  test(titles.limit[kind], async () => {
    const { testRun, tries } = await run(kind, [() => true])
    expect(testRun.result.result).toBe('failed')
    expect(tries).toBe(100)
    expect(readWarnings(testRun)).toContain('maximum number of error hook retries (100) reached')
  }, 300_000)

  test(titles.perResource[kind], async () => {
    const counts = new Map<string, number>()
    const { testRun } = await run(
      kind,
      [
        ({ name, errors }) => {
          counts.set(name, errors.length)
          return errors.length < (name === 'a' ? 2 : 4)
        },
      ],
      ['a', 'b'],
    )
    expect(testRun.result.result).toBe('failed')
    expect(counts).toEqual(
      new Map([
        ['a', 2],
        ['b', 4],
      ]),
    )
  })
})

test('TestErrorHooks_NotCalledOnSuccess_Update, TestErrorHooks_NotCalledOnSuccess_Delete: error hooks are not called after a success', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  let hookCalls = 0
  const count = (): boolean => {
    hookCalls += 1
    return false
  }
  await engine.run(program(cloud, 1, ['a'], [count]))
  await engine.run(program(cloud, 2, ['a'], [count]))
  const testRun = await engine.run(program(cloud, 2, [], [count]))
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['create a', 'update a-1', 'delete a-1'])
  expect(hookCalls).toBe(0)
})

test('TestErrorHooks_OldAndNewOptionsAreSentOnUpdate, TestErrorHooks_PlainCreateErrorRunsOnErrorHook: hooks receive the old and new options, also for plain errors', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const seen: ErrorHookRequest[] = []
  const recordRequest = (hookRequest: ErrorHookRequest): boolean => {
    seen.push(hookRequest)
    return false
  }
  cloud.faults.add('create a')
  await engine.run(program(cloud, 1, ['a'], [recordRequest]))
  cloud.faults.clear()
  await engine.run(program(cloud, 1, ['a'], [recordRequest]))
  cloud.faults.add('update a-1')
  await engine.run(program(cloud, 2, ['a'], [recordRequest]))
  const options = { hooks: { onError: ['h0'] } }
  expect(seen).toMatchObject([
    { failedOperation: 'create', oldOptions: undefined, newOptions: options },
    { failedOperation: 'update', id: 'a-1', oldOptions: options, newOptions: options },
  ])
})
