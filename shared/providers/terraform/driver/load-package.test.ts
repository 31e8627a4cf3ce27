import { expect, test } from 'vitest'
import { createErrorDiagnostic } from './scripted-client.fixture.ts'
import { createScriptedProvider } from './scripted-provider.fixture.ts'

test('the first request to a process is for the schema, even if `getProviderSchemaOptional` is set', async () => {
  const { calls } = await createScriptedProvider()
  expect(calls.map(({ rpc }) => rpc)).toEqual([
    'getProviderSchema',
    'getResourceIdentitySchemas',
    'configureProvider',
  ])
})

test('a schema with errors is refused', async () => {
  const failing = createScriptedProvider(base => ({
    getProviderSchema: async () => ({
      ...(await base.getProviderSchema()),
      diagnostics: [createErrorDiagnostic('No licence')],
    }),
  }))
  await expect(failing).rejects.toThrow(/has no schema: No licence/)
})

test('a resource type with an invalid schema is refused at its first use', async () => {
  const { create } = await createScriptedProvider(base => ({
    async getProviderSchema() {
      const schema = await base.getProviderSchema()
      const thing = schema.resources.get('x_thing')
      if (thing === undefined) throw new Error('no schema')
      const [first] = thing.block.attributes
      const attributes = first === undefined ? [] : [{ ...first, type: 'text' }]
      const broken = { ...thing, block: { ...thing.block, attributes } }
      return { ...schema, resources: new Map([['x_thing', broken]]) }
    },
  }))
  await expect(create(new Map())).rejects.toThrow(/has an invalid schema/)
})
