import { afterEach, describe, expect, test } from 'vitest'
import type { DiffRequest } from '../../../proto/gen/pulumi/provider.ts'
import { DiffResponse } from '../../../proto/gen/pulumi/provider.ts'
import { type Cloud, createCloud } from '../cloud.ts'
import type { TestRunOptions, Program, TestEngine } from '../engine.ts'
import { statesOf, stepsOf } from '../run-events.ts'
import { createEngines, deleteFirst, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** The diff verdict of each resource by name. Other resources have no difference. */
type Verdicts = Record<string, Partial<DiffResponse>>

interface Scene {
  readonly cloud: Cloud
  readonly engine: TestEngine
  readonly setVerdicts: (verdicts: Verdicts) => void
}

async function openScene(): Promise<Scene> {
  const cloud = createCloud()
  let verdicts: Verdicts = {}
  const diff = ({ urn }: DiffRequest) => {
    const verdict = verdicts[urn.split('::').at(-1) ?? '']
    return DiffResponse.create(verdict === undefined ? { changes: 1 } : { changes: 2, ...verdict })
  }
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, diff } })
  return { cloud, engine, setVerdicts: next => void (verdicts = next) }
}

const replaced = { replaces: ['key'], deleteBeforeReplace: true }
const oneProgram: Program = async monitor => void (await registerThing(monitor, 'a', { v: 1 }))

/** `b` depends on `a`, but none of its properties does. */
const createTwo =
  (more: object = {}): Program =>
  async monitor => {
    const { urn } = await registerThing(monitor, 'a', {}, more)
    await registerThing(monitor, 'b', {}, { dependencies: [urn] })
  }

test('TestPendingReplaceFailureDoesNotViolateSnapshotIntegrity: a resource that could not be deleted is not half replaced', async () => {
  const { cloud, engine, setVerdicts } = await openScene()
  await engine.run(createTwo())
  setVerdicts({ a: replaced, b: {} })
  cloud.faults.add('delete a-1')
  const failed = await engine.run(createTwo())
  expect(failed.result.result).toBe('failed')
  expect(statesOf(failed, 'a')).toMatchObject([{ id: 'a-1' }])
  expect(statesOf(failed, 'a')[0]).not.toHaveProperty('pendingReplacement')
  expect(statesOf(failed, 'b')).toMatchObject([{ id: 'b-1' }])
  cloud.faults.clear()
  const testRun = await engine.run(createTwo())
  expect(testRun.result.result).toBe('succeeded')
  expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'a-2' }])
  expect(statesOf(testRun, 'b')).toMatchObject([{ id: 'b-1' }])
  expect(cloud.mutatingCalls.slice(2)).toEqual([
    'delete a-1',
    'delete a-1',
    'create a',
    'update b-1',
  ])
})

/** Opens a scene in which `a` is deleted, and the create of its replacement failed. */
async function openInterrupted(): Promise<Scene> {
  const scene = await openScene()
  const { cloud, engine, setVerdicts } = scene
  await engine.run(oneProgram)
  setVerdicts({ a: replaced })
  cloud.faults.add('create a')
  const failed = await engine.run(oneProgram)
  expect(failed.result.result).toBe('failed')
  expect(statesOf(failed, 'a')).toMatchObject([{ id: 'a-1', pendingReplacement: true }])
  cloud.faults.clear()
  cloud.mutatingCalls.length = 0
  return scene
}

describe('a replacement that stopped between its delete and its create', () => {
  const creates = ['create a']
  test.each<[string, TestRunOptions, Verdicts]>([
    ['TestPendingReplaceResumeWithSameGoals: continues with its create', {}, { a: replaced }],
    [
      'TestPendingReplaceResumeWithSameGoalsRefreshRunProgram: continues with its create after a refresh with the program',
      { refresh: true, runProgram: true },
      { a: replaced },
    ],
    [
      'TestPendingReplaceResumeWithUpdatedGoals: continues even if the new goal needs an update only',
      {},
      { a: {} },
    ],
  ])('%s', async (_title, options, verdicts) => {
    const { cloud, engine, setVerdicts } = await openInterrupted()
    setVerdicts(verdicts)
    const testRun = await engine.run(oneProgram, options)
    expect(testRun.result.result).toBe('succeeded')
    expect(cloud.mutatingCalls).toEqual(creates)
    const steps = stepsOf(testRun).filter(step => step !== 'refresh a')
    expect(steps).toEqual(['replace a', 'create-replacement a'])
    expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'a-2' }])
    expect(statesOf(testRun, 'a')[0]).not.toHaveProperty('pendingReplacement')
  })

  test('TestPendingReplaceResumeWithDeletedGoals: leaves the state when the program no longer registers it', async () => {
    const { cloud, engine } = await openInterrupted()
    const testRun = await engine.run(async () => undefined)
    expect(testRun.result.result).toBe('succeeded')
    // The removal changes the state only and is not displayed.
    expect(stepsOf(testRun)).toEqual([])
    expect(cloud.mutatingCalls).toEqual([])
    expect(statesOf(testRun, 'a')).toEqual([])
  })
})

test('TestInteruptedPendingReplace: dependents wait until the create of the replacement succeeds', async () => {
  const { cloud, engine, setVerdicts } = await openScene()
  const program = createTwo(deleteFirst)
  await engine.run(program)
  setVerdicts({ a: { replaces: ['key'] } })
  cloud.faults.add('create a')
  for (const _time of [1, 2]) {
    const failed = await engine.run(program)
    expect(failed.result.result).toBe('failed')
    expect(statesOf(failed, 'a')).toMatchObject([{ id: 'a-1', pendingReplacement: true }])
    expect(statesOf(failed, 'b')).toMatchObject([{ id: 'b-1' }])
  }
  cloud.faults.clear()
  const testRun = await engine.run(program)
  expect(testRun.result.result).toBe('succeeded')
  expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'a-2' }])
  expect(statesOf(testRun, 'a')[0]).not.toHaveProperty('pendingReplacement')
  expect(statesOf(testRun, 'b')).toMatchObject([{ id: 'b-1' }])
  expect(cloud.mutatingCalls).toEqual([
    'create a',
    'create b',
    'delete a-1',
    'create a',
    'create a',
    'create a',
  ])
})
