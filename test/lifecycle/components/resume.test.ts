import { afterEach, describe, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { registerComponent, createComponentScript, registerSelf } from '../components.ts'
import type { Program } from '../engine.ts'
import { ProcessKilledError } from '../test-process.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/**
 * Opens an engine with nested components of two children each, and lists the components that are
 * requested.
 */
async function openScene() {
  const cloud = createCloud()
  const requestedNames: string[] = []
  const script = createComponentScript({
    construct: async (request, monitor) => {
      const { name } = request
      requestedNames.push(name)
      const urn = await registerSelf(request, monitor)
      const first = await registerThing(monitor, `${name}-1`, { v: 1 }, { parent: urn })
      if (name === 'outer') await registerComponent(monitor, 'inner', { parent: urn })
      const second = await registerThing(monitor, `${name}-2`, { of: first.id }, { parent: urn })
      await monitor.registerOutputs(urn, { second: second.id })
      return { urn, state: { second: second.id } }
    },
  })
  return { engine: await engines.open(cloud, { comp: script }), cloud, requestedNames }
}

describe('a deployment that is resumed in the middle of a component', () => {
  const creates = [
    'create inner-1',
    'create inner-2',
    'create last',
    'create outer-1',
    'create outer-2',
  ]
  const answers: unknown[] = []
  const program: Program = async monitor => {
    const outer = await registerComponent(monitor, 'outer')
    answers.push(outer.object)
    await registerThing(monitor, 'last', { of: outer.object?.['second'] })
  }

  for (const [effect, names] of [
    [1, ['outer']],
    [2, ['outer', 'inner']],
    [4, ['outer', 'inner']],
    [5, ['outer', 'inner']],
  ] as const)
    for (const when of ['before', 'after'] as const)
      test(`requests the component again and creates each resource once (killed ${when} begin ${effect})`, async () => {
        answers.splice(0)
        const scene = await openScene()
        const { engine, cloud } = scene
        const kill = { effect, call: 'operations.begin', when }
        const end = await engine.run(program, { kill }).catch((thrown: unknown) => thrown)
        expect(end).toBeInstanceOf(ProcessKilledError)
        expect(scene.requestedNames).toEqual(names)
        const { result, state } = await engine.run(program, { resume: true })
        const isLost = when === 'after'
        // The create that had begun at the kill may have happened. Its result is unknown, and it is
        // not repeated.
        expect(result.result).toBe(isLost ? 'failed' : 'succeeded')
        // Without its first child the outer component does not reach the inner one.
        const repeatedNames = isLost && effect === 1 ? ['outer'] : ['outer', 'inner']
        expect(scene.requestedNames.slice(names.length)).toEqual(repeatedNames)
        expect(new Set(cloud.mutatingCalls).size).toBe(cloud.mutatingCalls.length)
        if (isLost) return
        expect(cloud.mutatingCalls.toSorted()).toEqual(creates)
        expect(answers.at(-1)).toEqual({ second: 'outer-2-1' })
        const outer = state.resources?.find(({ urn }) => urn.endsWith('::outer'))
        expect(outer).toMatchObject({ outputs: { second: 'outer-2-1' } })
        const next = await engine.run(program)
        expect(next.result.result).toBe('succeeded')
        expect(cloud.mutatingCalls).toHaveLength(creates.length)
      })
})
