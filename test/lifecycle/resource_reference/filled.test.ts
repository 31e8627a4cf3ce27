import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { component, componentScript, itself, wire } from '../components.ts'
import { named } from '../states.ts'
import { createEngines, thing } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestResourceReferences_NameAndTypeFilledByEngine: who gets a reference is told name and type, whoever made it', async () => {
  const asked: unknown[] = []
  const script = componentScript({
    make: async (request, monitor) => {
      const reference = request.inputs?.['ref']
      asked.push(reference)
      const { urn: of, id } = Object(Object(reference).value ?? reference)
      const urn = await itself(request, monitor)
      const echo = wire.reference({ urn: of, id })
      await monitor.outputs(urn, { echo })
      return { urn, state: { echo } }
    },
  })
  const engine = await engines.of(createCloud(), { comp: script })
  const seen: unknown[] = []
  const { result, state } = await engine.run(async monitor => {
    const { urn, id } = await thing(monitor, 'source', {})
    const made = await component(monitor, 'c', { object: { ref: wire.reference({ urn, id }) } })
    seen.push(made.object?.['echo'])
  })
  expect(result.result).toBe('succeeded')
  const filled = { name: 'source', type: 'test:index:Thing', id: 'source-1' }
  expect(Object(asked[0]).value ?? asked[0]).toMatchObject(filled)
  expect(seen[0]).toMatchObject(filled)
  expect(Object(named(state, 'c')?.['outputs']).echo).toMatchObject({ id: 'source-1' })
})
