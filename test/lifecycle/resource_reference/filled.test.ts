import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import {
  registerComponent,
  createComponentScript,
  registerSelf,
  wireValues,
} from '../components.ts'
import { findResource } from '../stack-states.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestResourceReferences_NameAndTypeFilledByEngine: every receiver of a reference gets the name and type of the resource, regardless of the creator of the reference', async () => {
  const references: unknown[] = []
  const script = createComponentScript({
    construct: async (request, monitor) => {
      const reference = request.inputs?.['ref']
      references.push(reference)
      // The engine may wrap the reference in an output.
      const { urn: sourceUrn, id } = Object(Object(reference).value ?? reference)
      const urn = await registerSelf(request, monitor)
      const echo = wireValues.reference({ urn: sourceUrn, id })
      await monitor.registerOutputs(urn, { echo })
      return { urn, state: { echo } }
    },
  })
  const engine = await engines.open(createCloud(), { comp: script })
  const seen: unknown[] = []
  const { result, state } = await engine.run(async monitor => {
    const { urn, id } = await registerThing(monitor, 'source', {})
    const component = await registerComponent(monitor, 'c', {
      object: { ref: wireValues.reference({ urn, id }) },
    })
    seen.push(component.object?.['echo'])
  })
  expect(result.result).toBe('succeeded')
  const filled = { name: 'source', type: 'test:index:Thing', id: 'source-1' }
  expect(Object(references[0]).value ?? references[0]).toMatchObject(filled)
  expect(seen[0]).toMatchObject(filled)
  expect(Object(findResource(state, 'c')?.['outputs']).echo).toMatchObject({ id: 'source-1' })
})
