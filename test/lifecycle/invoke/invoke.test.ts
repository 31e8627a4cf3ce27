import { afterEach, expect, test } from 'vitest'
import {
  ConfigureResponse,
  type InvokeRequest,
  InvokeResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import type { Script } from '../../../shared/providers/pulumi/scripted-server.ts'
import { createCloud } from '../cloud.ts'
import { component, componentScript, itself, wire } from '../components.ts'
import type { Asked, Program } from '../engine.ts'
import { createEngines, thing } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

const read = 'test:index:read'

/** An engine whose functions note what they were asked, and whose package `comp` has components. */
async function opened(more: Script = {}) {
  const cloud = createCloud()
  const asked: InvokeRequest[] = []
  const script: Script = {
    ...cloud.script,
    ...more,
    invoke: (request: InvokeRequest) => {
      asked.push(request)
      return InvokeResponse.create({ return: { result: 'read' } })
    },
  }
  const comp = componentScript({
    make: async (request, monitor) => {
      const urn = await itself(request, monitor)
      await thing(monitor, `${request.name}-child`, {}, { parent: urn })
      return { urn }
    },
  })
  const engine = await engines.of({ ...cloud, script }, { comp })
  /** Whether the function was asked, and the program answered that nobody knows yet. */
  const during = async (program: Program, how: Asked = {}): Promise<boolean> => {
    asked.splice(0)
    const { result } = await engine.run(program, how)
    expect(result.result).toBe('succeeded')
    return asked.length > 0
  }
  return { engine, cloud, asked, during }
}

const preview = { dryRun: true }

test('TestPreviewInvoke: a function is told that it is called in a preview', async () => {
  const all = await opened()
  const program: Program = async monitor => void (await monitor.invoke(read))
  // A provider without a handshake is told nothing of it.
  await all.during(program, preview)
  expect(all.asked.map(one => one.preview)).toEqual([false])
  const told: boolean[] = []
  for (const dryRun of [true, false])
    await all.engine.run(program, {
      dryRun,
      provider: provider => ({
        ...provider,
        invoke: ask => {
          told.push(ask.preview)
          return provider.invoke(ask)
        },
      }),
    })
  expect(told).toEqual([true, false])
})

test('TestInvokeParentResolvesComponentProviders: the providers of the parent component serve a function', async () => {
  const { engine } = await opened()
  const served: string[] = []
  await engine.run(
    async monitor => {
      const provider = async (name: string): Promise<string> => {
        const { urn, id } = await monitor.register({
          type: 'pulumi:providers:test',
          name,
          custom: true,
          object: { instance: name },
        })
        return `${urn}::${id}`
      }
      const [explicit, other] = [await provider('explicit'), await provider('other')]
      const providers = new Map([['test', explicit]])
      const first = await monitor.register({ type: 'my:c:First', name: 'comp', providers })
      const second = await monitor.register({ type: 'my:c:Two', name: 'two', parent: first.urn })
      const custom = await thing(monitor, 'custom', {}, { parent: first.urn })
      const ask = async (parent: string, named = ''): Promise<void> => {
        await monitor.invokeWith({ tok: read, parent, provider: named })
      }
      await ask(first.urn)
      await ask(second.urn)
      await ask(first.urn, other)
      await ask(custom.urn)
      await ask('')
    },
    {
      provider: provider => {
        let name = ''
        return {
          ...provider,
          configure: ask => {
            const instance = ask.inputs.get('instance')
            name = typeof instance === 'string' ? instance : 'default'
            return provider.configure(ask)
          },
          invoke: ask => {
            served.push(name)
            return provider.invoke(ask)
          },
        }
      },
    },
  )
  expect(served).toEqual(['explicit', 'explicit', 'other', 'default', 'default'])
})

test('TestInvokeDependsOnRemoteComponent: a function waits for the children of a component of a provider', async () => {
  const { during } = await opened()
  const program: Program = async monitor => {
    const made = await component(monitor, 'comp')
    await monitor.invokeWith({ tok: read, dependsOn: [made.urn] })
  }
  expect(await during(program, preview)).toBe(false)
  expect(await during(program)).toBe(true)
  expect(await during(program, preview)).toBe(true)
})

test('TestInvokeDependsOnNestedRemoteComponent: also where that stands in another component', async () => {
  const { during } = await opened()
  const program: Program = async monitor => {
    const outer = await monitor.register({ type: 'my:c:Outer', name: 'outer' })
    await component(monitor, 'comp', { parent: outer.urn })
    await monitor.invokeWith({ tok: read, dependsOn: [outer.urn] })
  }
  expect(await during(program, preview)).toBe(false)
  expect(await during(program)).toBe(true)
  expect(await during(program, preview)).toBe(true)
})

test('TestInvokeDependsOnPendingCustomResource: a function that depends on what a preview would make is not asked', async () => {
  const { during } = await opened()
  const unknowns: boolean[] = []
  const program: Program = async monitor => {
    const made = await thing(monitor, 'dep', {})
    const answer = await monitor.invokeWith({ tok: read, dependsOn: [made.urn] })
    unknowns.push(answer.unknown)
  }
  expect(await during(program, preview)).toBe(false)
  expect(await during(program)).toBe(true)
  expect(unknowns).toEqual([true, false])
})

test('TestInvokeDependsOnStopsAtCustomResources: children of a resource are not waited for', async () => {
  const { during } = await opened()
  const parentOnly: Program = async monitor => void (await thing(monitor, 'parent', {}))
  await during(parentOnly)
  let isUnknown = true
  const program: Program = async monitor => {
    const parent = await thing(monitor, 'parent', {})
    await thing(monitor, 'child', {}, { parent: parent.urn })
    const answer = await monitor.invokeWith({ tok: read, dependsOn: [parent.urn] })
    isUnknown = answer.unknown
  }
  expect(await during(program, preview)).toBe(true)
  expect(isUnknown).toBe(false)
})

test('TestInvokeDependsOnTargetedUp: what is not made, being no target, is not known to exist', async () => {
  const { during } = await opened()
  let isUnknown = false
  const program: Program = async monitor => {
    await thing(monitor, 'keep', {})
    const dep = await thing(monitor, 'dep', {})
    const answer = await monitor.invokeWith({ tok: read, dependsOn: [dep.urn] })
    isUnknown = answer.unknown
  }
  expect(await during(program, { targeting: { targets: ['**keep**'] } })).toBe(false)
  expect(isUnknown).toBe(true)
})

test('TestSecretsInvoke: what comes of secrets is secret where the provider does not take secrets', async () => {
  const { engine, asked } = await opened({ configure: () => ConfigureResponse.create({}) })
  const answers: unknown[] = []
  const program: Program = async monitor => {
    const args = { secret: wire.secret('my-secret') }
    answers.push((await monitor.invokeWith({ tok: read, args })).return)
  }
  await engine.run(program, preview)
  await engine.run(program)
  expect(asked.map(({ args }) => args)).toEqual([{ secret: 'my-secret' }, { secret: 'my-secret' }])
  expect(answers).toEqual([{ result: wire.secret('read') }, { result: wire.secret('read') }])
})

test('a function waits for what is being registered below the component that it depends on', async () => {
  const { engine, cloud, asked } = await opened()
  const held = cloud.hold('child')
  const order: string[] = []
  await engine.run(async monitor => {
    const outer = await monitor.register({ type: 'my:c:Outer', name: 'outer' })
    const child = thing(monitor, 'child', {}, { parent: outer.urn })
    await held.reached
    const answer = monitor.invokeWith({ tok: read, dependsOn: [outer.urn] }).then(({ unknown }) => {
      order.push(`answered ${unknown}`)
    })
    await new Promise(done => setTimeout(done, 200))
    expect(asked).toEqual([])
    order.push('made')
    held.go()
    await Promise.all([child, answer])
  })
  expect(order).toEqual(['made', 'answered false'])
})
