import { afterEach, expect, test } from 'vitest'
import { CreateResponse, UpdateResponse } from '../../../proto/gen/pulumi/provider.ts'
import type { UpdateRequest } from '../../../proto/gen/pulumi/provider.ts'
import { createCloud } from '../cloud.ts'
import type { Program, TestRun } from '../engine.ts'
import { allStepsOf } from '../target/run-summary.ts'
import { createEngines, registerThing, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestPreviewRefreshWithProgram: resources are read for the preview, and nothing changes', async () => {
  const cloud = createCloud()
  const updates: UpdateRequest[] = []
  const script = {
    ...cloud.script,
    update: (request: never) => {
      updates.push(request)
      return UpdateResponse.create({ properties: { v: 'updated' } })
    },
  }
  const engine = await engines.open({ ...cloud, script })
  const before = await engine.run(createThings({ a: { v: 'bar' } }))
  cloud.objects.set('a-1', { v: 'baz' })
  const seen: unknown[] = []
  const program: Program = async monitor => {
    seen.push((await registerThing(monitor, 'a', { v: 'qux' })).object)
    await registerThing(monitor, 'new', { v: 1 })
  }
  const options = { dryRun: true, refresh: true, runProgram: true }
  const testRun = await engine.run(program, options)
  expect(testRun.result.result).toBe('succeeded')
  expect(allStepsOf(testRun)).toEqual(['refresh a', 'update a', 'create new'])
  expect(testRun.result.changes).toEqual({ create: 1, same: 1, update: 1 })
  expect(updates).toMatchObject([
    { preview: true, oldInputs: { v: 'baz' }, olds: { v: 'baz' }, news: { v: 'qux' } },
  ])
  expect(seen).toEqual([{ v: 'updated' }])
  expect(testRun.state).toEqual(before.state)
  expect(cloud.mutatingCalls).toEqual(['create a'])
})

/** Returns the stack outputs that a run reported at its end. */
function readReportedOutputs({ events }: TestRun): unknown {
  const reported = events.flatMap(event =>
    'resOutputsEvent' in event && event.resOutputsEvent.metadata.type === 'pulumi:pulumi:Stack'
      ? [event.resOutputsEvent]
      : [],
  )
  const last = reported.at(-1)
  return {
    planning: last?.planning,
    old: readOutputs(last?.metadata.old),
    new: readOutputs(last?.metadata.new),
  }
}

function readOutputs(state: object | null | undefined): unknown {
  return state !== null && state !== undefined && 'outputs' in state ? state.outputs : undefined
}

test('TestPreviewStackOutputs: new and previous outputs are reported', async () => {
  const cloud = createCloud()
  const script = {
    ...cloud.script,
    create: (request: never) => {
      const { preview } = request as { preview: boolean }
      return preview ? CreateResponse.create({}) : cloud.script.create?.(request)
    },
  }
  const engine = await engines.open({ ...cloud, script })
  const program =
    (first: string): Program =>
    async monitor => {
      await monitor.registerOutputs(monitor.stack, { first, second: 'def' })
    }
  await engine.run(program('abc'))
  const testRun = await engine.run(program('step 1'), { dryRun: true })
  expect(readReportedOutputs(testRun)).toEqual({
    planning: true,
    old: { first: 'abc', second: 'def' },
    new: { first: 'step 1', second: 'def' },
  })
  // The sentinel of an unknown value.
  const unknown = await engine.run(program('04da6b54-80e4-46f7-96ec-b56ff0331ba9'), {
    dryRun: true,
  })
  expect(readReportedOutputs(unknown)).toMatchObject({
    old: { first: 'abc' },
    new: { second: 'def' },
  })
})
