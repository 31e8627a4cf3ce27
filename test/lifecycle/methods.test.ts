import { status } from '@grpc/grpc-js'
import { afterEach, describe, expect, test } from 'vitest'
import { CallResponse, type CallRequest } from '../../proto/gen/pulumi/provider.ts'
import {
  createFailure,
  type Script,
} from '../../shared/providers/pulumi/scripted-server.fixture.ts'
import { createCloud } from './cloud.ts'
import type { TestRunOptions, Monitor, Program } from './engine.ts'
import { ProcessKilledError } from './test-process.ts'
import { createEngines, toWireSecret, registerThing } from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const urnOf = (name: string): string => `urn:pulumi:dev::life::test:index:Thing::${name}`

/** Creates a cloud whose methods return the number of calls so far. `calls` has the requests. */
function createCountingCloud(call?: (request: CallRequest) => unknown) {
  const cloud = createCloud()
  const calls: CallRequest[] = []
  const answer = (request: CallRequest): unknown => {
    calls.push(request)
    if (call !== undefined) return call(request)
    const returnDependencies = new Map([['count', { urns: [urnOf('a')] }]])
    const hidden = toWireSecret(`hidden ${calls.length}`)
    return CallResponse.create({ return: { count: calls.length, hidden }, returnDependencies })
  }
  const script: Script = { ...cloud.script, call: answer }
  return { ...cloud, script, calls }
}

const callSay = (monitor: Monitor, more: object = {}) =>
  monitor.call({ tok: 'test:index:Thing/say', args: { __self__: { urn: urnOf('a') } }, ...more })

/** Returns the message of the error that the program receives. */
async function readRefusal(promise: Promise<unknown>): Promise<string> {
  return promise.then(() => 'the call succeeded', String)
}

describe('a method', () => {
  test('is called with all information of its request', async () => {
    const cloud = createCountingCloud()
    const engine = await engines.open(cloud)
    await engine.run(
      async monitor => {
        await registerThing(monitor, 'a', {})
        const args = { __self__: { urn: urnOf('a') }, x: toWireSecret(1) }
        await callSay(monitor, { args, argDependencies: new Map([['x', { urns: [urnOf('a')] }]]) })
      },
      { parallel: 5 },
    )
    const [call] = cloud.calls
    expect(call).toMatchObject({
      tok: 'test:index:Thing/say',
      args: { x: toWireSecret(1) },
      project: 'life',
      stack: 'dev',
      parallel: 5,
      dryRun: false,
    })
    expect(call?.monitorEndpoint).toMatch(/^127\.0\.0\.1:\d+$/)
    expect(call?.argDependencies).toEqual(
      new Map([
        ['__self__', { urns: [] }],
        ['x', { urns: [urnOf('a')] }],
      ]),
    )
  })

  test('is called in a preview, too, with the preview flag', async () => {
    const cloud = createCountingCloud()
    const engine = await engines.open(cloud)
    const program: Program = async monitor => {
      await registerThing(monitor, 'a', {})
      await callSay(monitor)
    }
    await engine.run(program, { dryRun: true })
    expect(cloud.calls.map(({ dryRun }) => dryRun)).toEqual([true])
  })

  test('of a provider resource is called on that provider', async () => {
    const cloud = createCountingCloud()
    const engine = await engines.open(cloud)
    const refusals: string[] = []
    await engine.run(async monitor => {
      const type = 'pulumi:providers:test'
      const { urn, id } = await monitor.register({ type, name: 'p', custom: true, object: {} })
      await callSay(monitor, { tok: `${type}/say`, args: { __self__: { urn, id } } })
      const withoutSelf = callSay(monitor, { tok: `${type}/say`, args: { __self__: { urn } } })
      refusals.push(await readRefusal(withoutSelf))
    })
    expect(refusals).toEqual([expect.stringContaining('missing __self__')])
    expect(cloud.calls.map(({ tok }) => tok)).toEqual(['pulumi:providers:test/say'])
  })

  test('of an unregistered resource is refused', async () => {
    const cloud = createCountingCloud()
    const engine = await engines.open(cloud)
    const refusals: string[] = []
    await engine.run(async monitor => {
      refusals.push(await readRefusal(callSay(monitor)))
    })
    expect(refusals).toEqual([expect.stringContaining(`unknown resource ${urnOf('a')}`)])
    expect(cloud.calls).toEqual([])
  })

  test('returns failed checks to the program', async () => {
    const failures = [{ property: 'x', reason: 'is refused' }]
    const engine = await engines.open(createCountingCloud(() => CallResponse.create({ failures })))
    const { result } = await engine.run(async monitor => {
      await registerThing(monitor, 'a', {})
      expect((await callSay(monitor)).failures).toEqual(failures)
    })
    expect(result.result).toBe('succeeded')
  })

  test('that fails ends the deployment with the reason', async () => {
    const failBroken = () => Promise.reject(createFailure(status.UNKNOWN, 'it is broken'))
    const engine = await engines.open(createCountingCloud(failBroken))
    const testRun = await engine.run(async monitor => {
      await registerThing(monitor, 'a', {})
      await callSay(monitor).catch(() => undefined)
      await registerThing(monitor, 'b', {})
    })
    expect(testRun.result.result).toBe('failed')
    expect(JSON.stringify(testRun.events)).toContain(
      "call to function 'test:index:Thing/say' failed: it is broken",
    )
    expect(testRun.state.resources?.map(({ urn }) => urn)).not.toContain(urnOf('b'))
  })
})

describe('a resumed deployment', () => {
  const killBeforeB: TestRunOptions = {
    kill: { effect: 2, call: 'operations.begin', when: 'before' },
  }

  test('does not repeat a recorded call of a method: it returns the recorded result with its secrets', async () => {
    const cloud = createCountingCloud()
    const engine = await engines.open(cloud)
    const answers: CallResponse[] = []
    const program: Program = async monitor => {
      await registerThing(monitor, 'a', {})
      const answer = await callSay(monitor)
      answers.push(answer)
      await registerThing(monitor, 'b', { of: answer.return?.['count'] })
      const secondReply = await callSay(monitor)
      await registerThing(monitor, 'c', { of: secondReply.return?.['count'] })
    }
    const end = await engine.run(program, killBeforeB).catch((thrown: unknown) => thrown)
    expect(end).toBeInstanceOf(ProcessKilledError)
    expect(cloud.calls).toHaveLength(1)
    const { result } = await engine.run(program, { resume: true })
    expect(result.result).toBe('succeeded')
    expect(cloud.calls).toHaveLength(2)
    expect(cloud.objects.get('b-1')).toEqual({ of: 1 })
    expect(cloud.objects.get('c-1')).toEqual({ of: 2 })
    const [first, second] = answers
    expect(second).toEqual(first)
    expect(second?.return).toMatchObject({ count: 1, hidden: toWireSecret('hidden 1') })
    expect(second?.returnDependencies.get('count')).toEqual({ urns: [urnOf('a')] })
  })

  test('calls a method again when its arguments changed', async () => {
    const cloud = createCountingCloud()
    const engine = await engines.open(cloud)
    const program =
      (x: number): Program =>
      async monitor => {
        await registerThing(monitor, 'a', {})
        await callSay(monitor, { args: { __self__: { urn: urnOf('a') }, x } })
        await registerThing(monitor, 'b', {})
      }
    await engine.run(program(1), killBeforeB).catch(() => undefined)
    await engine.run(program(2), { resume: true })
    expect(cloud.calls.map(({ args }) => args?.['x'])).toEqual([1, 2])
  })
})
