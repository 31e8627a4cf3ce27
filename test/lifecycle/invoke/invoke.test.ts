import { afterEach, expect, test } from 'vitest'
import {
  ConfigureResponse,
  type InvokeRequest,
  InvokeResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import type { Script } from '../../../shared/providers/pulumi/scripted-server.fixture.ts'
import { createCloud } from '../cloud.ts'
import {
  registerComponent,
  createComponentScript,
  registerSelf,
  wireValues,
} from '../components.ts'
import type { TestRunOptions, Program } from '../engine.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const tok = 'test:index:read'

/**
 * Opens an engine whose functions record their requests, and whose package `comp` has components.
 */
async function openScene(more: Script = {}) {
  const cloud = createCloud()
  const requests: InvokeRequest[] = []
  const script: Script = {
    ...cloud.script,
    ...more,
    invoke: (request: InvokeRequest) => {
      requests.push(request)
      return InvokeResponse.create({ return: { result: 'read' } })
    },
  }
  const comp = createComponentScript({
    construct: async (request, monitor) => {
      const urn = await registerSelf(request, monitor)
      await registerThing(monitor, `${request.name}-child`, {}, { parent: urn })
      return { urn }
    },
  })
  const engine = await engines.open({ ...cloud, script }, { comp })
  /**
   * Runs a program and reports whether the function was called. Otherwise the program received an
   * unknown result.
   */
  const runInvoking = async (program: Program, options: TestRunOptions = {}): Promise<boolean> => {
    requests.splice(0)
    const { result } = await engine.run(program, options)
    expect(result.result).toBe('succeeded')
    return requests.length > 0
  }
  return { engine, cloud, requests, runInvoking }
}

const preview = { dryRun: true }

test('TestPreviewInvoke: a function call contains the preview flag', async () => {
  const scene = await openScene()
  const program: Program = async monitor => void (await monitor.invoke(tok))
  // A provider without a handshake does not receive the flag.
  await scene.runInvoking(program, preview)
  expect(scene.requests.map(request => request.preview)).toEqual([false])
  const previews: boolean[] = []
  for (const dryRun of [true, false])
    await scene.engine.run(program, {
      dryRun,
      provider: provider => ({
        ...provider,
        invoke: providerRequest => {
          previews.push(providerRequest.preview)
          return provider.invoke(providerRequest)
        },
      }),
    })
  expect(previews).toEqual([true, false])
})

test('TestInvokeParentResolvesComponentProviders: a function uses the providers of its parent component', async () => {
  const { engine } = await openScene()
  const servedBy: string[] = []
  await engine.run(
    async monitor => {
      const registerOwnProvider = async (name: string): Promise<string> => {
        const { urn, id } = await monitor.register({
          type: 'pulumi:providers:test',
          name,
          custom: true,
          object: { instance: name },
        })
        return `${urn}::${id}`
      }
      const [explicit, other] = [
        await registerOwnProvider('explicit'),
        await registerOwnProvider('other'),
      ]
      const providers = new Map([['test', explicit]])
      const first = await monitor.register({ type: 'my:c:First', name: 'comp', providers })
      const second = await monitor.register({ type: 'my:c:Two', name: 'two', parent: first.urn })
      const custom = await registerThing(monitor, 'custom', {}, { parent: first.urn })
      const invokeFunction = async (parent: string, provider = ''): Promise<void> => {
        await monitor.invokeWith({ tok, parent, provider })
      }
      await invokeFunction(first.urn)
      await invokeFunction(second.urn)
      await invokeFunction(first.urn, other)
      await invokeFunction(custom.urn)
      await invokeFunction('')
    },
    {
      provider: provider => {
        let name = ''
        return {
          ...provider,
          configure: providerRequest => {
            const instance = providerRequest.inputs.get('instance')
            name = typeof instance === 'string' ? instance : 'default'
            return provider.configure(providerRequest)
          },
          invoke: providerRequest => {
            servedBy.push(name)
            return provider.invoke(providerRequest)
          },
        }
      },
    },
  )
  expect(servedBy).toEqual(['explicit', 'explicit', 'other', 'default', 'default'])
})

test('TestInvokeDependsOnRemoteComponent: a function waits for the children of a remote component', async () => {
  const { runInvoking } = await openScene()
  const program: Program = async monitor => {
    const component = await registerComponent(monitor, 'comp')
    await monitor.invokeWith({ tok, dependsOn: [component.urn] })
  }
  expect(await runInvoking(program, preview)).toBe(false)
  expect(await runInvoking(program)).toBe(true)
  expect(await runInvoking(program, preview)).toBe(true)
})

test('TestInvokeDependsOnNestedRemoteComponent: a function waits for the children of a remote component inside another component', async () => {
  const { runInvoking } = await openScene()
  const program: Program = async monitor => {
    const outer = await monitor.register({ type: 'my:c:Outer', name: 'outer' })
    await registerComponent(monitor, 'comp', { parent: outer.urn })
    await monitor.invokeWith({ tok, dependsOn: [outer.urn] })
  }
  expect(await runInvoking(program, preview)).toBe(false)
  expect(await runInvoking(program)).toBe(true)
  expect(await runInvoking(program, preview)).toBe(true)
})

test('TestInvokeDependsOnPendingCustomResource: a function that depends on a resource that a preview would create is not called', async () => {
  const { runInvoking } = await openScene()
  const unknowns: boolean[] = []
  const program: Program = async monitor => {
    const dependency = await registerThing(monitor, 'dep', {})
    const answer = await monitor.invokeWith({ tok, dependsOn: [dependency.urn] })
    unknowns.push(answer.unknown)
  }
  expect(await runInvoking(program, preview)).toBe(false)
  expect(await runInvoking(program)).toBe(true)
  expect(unknowns).toEqual([true, false])
})

test('TestInvokeDependsOnStopsAtCustomResources: a function does not wait for children of a custom resource', async () => {
  const { runInvoking } = await openScene()
  const parentProgram: Program = async monitor => void (await registerThing(monitor, 'parent', {}))
  await runInvoking(parentProgram)
  let isUnknown = true
  const program: Program = async monitor => {
    const parent = await registerThing(monitor, 'parent', {})
    await registerThing(monitor, 'child', {}, { parent: parent.urn })
    const answer = await monitor.invokeWith({ tok, dependsOn: [parent.urn] })
    isUnknown = answer.unknown
  }
  expect(await runInvoking(program, preview)).toBe(true)
  expect(isUnknown).toBe(false)
})

test('TestInvokeDependsOnTargetedUp: a skipped resource outside of the targets counts as pending', async () => {
  const { runInvoking } = await openScene()
  let isUnknown = false
  const program: Program = async monitor => {
    await registerThing(monitor, 'keep', {})
    const dep = await registerThing(monitor, 'dep', {})
    const answer = await monitor.invokeWith({ tok, dependsOn: [dep.urn] })
    isUnknown = answer.unknown
  }
  expect(await runInvoking(program, { targeting: { targets: ['**keep**'] } })).toBe(false)
  expect(isUnknown).toBe(true)
})

test('TestSecretsInvoke: the result of secret arguments is secret if the provider does not accept secrets', async () => {
  const { engine, requests } = await openScene({
    configure: () => ConfigureResponse.create({}),
  })
  const answers: unknown[] = []
  const program: Program = async monitor => {
    const args = { secret: wireValues.secret('my-secret') }
    answers.push((await monitor.invokeWith({ tok, args })).return)
  }
  await engine.run(program, preview)
  await engine.run(program)
  expect(requests.map(({ args }) => args)).toEqual([
    { secret: 'my-secret' },
    { secret: 'my-secret' },
  ])
  expect(answers).toEqual([
    { result: wireValues.secret('read') },
    { result: wireValues.secret('read') },
  ])
})

test('a function waits for pending registrations below the component that it depends on', async () => {
  const { engine, cloud, requests } = await openScene()
  const held = cloud.hold('child')
  const order: string[] = []
  await engine.run(async monitor => {
    const outer = await monitor.register({ type: 'my:c:Outer', name: 'outer' })
    const child = registerThing(monitor, 'child', {}, { parent: outer.urn })
    await held.reached
    const answer = monitor.invokeWith({ tok, dependsOn: [outer.urn] }).then(({ unknown }) => {
      order.push(`answered ${unknown}`)
    })
    await new Promise(done => setTimeout(done, 200))
    expect(requests).toEqual([])
    order.push('made')
    held.release()
    await Promise.all([child, answer])
  })
  expect(order).toEqual(['made', 'answered false'])
})
