import { describe, expect, test } from 'vitest'
import type { TerraformClient } from '../client/terraform-client.ts'
import { createScriptedProvider, inputsOf } from './scripted-provider.fixture.ts'
import { createAttributeMessage, codecOf, createSchemaMessage } from './scripted-schemas.fixture.ts'

const metaSchema = createSchemaMessage([createAttributeMessage('module_name', 'o')])

/** Adds a schema of metadata to the provider. */
const withMeta = (base: TerraformClient): Partial<TerraformClient> => ({
  getProviderSchema: async () => ({
    ...(await base.getProviderSchema()),
    providerMeta: metaSchema,
  }),
})

describe('the metadata of a package', () => {
  test('are sent with each call about resources and data sources', async () => {
    const parameter = { providerMeta: { module_name: 'm' } }
    const { create, read, remove, invoke, requestOf } = await createScriptedProvider(withMeta, {
      parameter,
    })
    const { outputs } = await create(inputsOf({ label: 'a' }))
    const readSentMeta = (rpc: keyof TerraformClient): unknown =>
      codecOf(metaSchema).decode(requestOf(rpc)['providerMeta'])
    expect(readSentMeta('planResourceChange')).toEqual({ module_name: 'm' })
    expect(readSentMeta('applyResourceChange')).toEqual({ module_name: 'm' })
    await read('id-a', outputs)
    expect(readSentMeta('readResource')).toEqual({ module_name: 'm' })
    await invoke('getLookup', inputsOf({ label: 'a' }))
    expect(readSentMeta('readDataSource')).toEqual({ module_name: 'm' })
    await remove(outputs)
    expect(readSentMeta('planResourceChange')).toEqual({ module_name: 'm' })
  })

  test('are null if the parameter has none', async () => {
    const { create, requestOf } = await createScriptedProvider(withMeta)
    await create(inputsOf({ label: 'a' }))
    expect(requestOf('planResourceChange')['providerMeta']).toEqual({
      msgpack: Uint8Array.of(0xc0),
    })
  })

  test('are left out for a provider that has no schema of them', async () => {
    const { create, requestOf } = await createScriptedProvider()
    await create(inputsOf({ label: 'a' }))
    expect(requestOf('planResourceChange')['providerMeta']).toBeUndefined()
  })

  test.each<[string, unknown, string]>([
    ['an unknown attribute', { name: 'm' }, 'TERRAFORM_CONFIG_INVALID'],
    ['a text instead of attributes', 'm', 'TERRAFORM_PACKAGE_INVALID'],
  ])('with %s are refused', async (_name, providerMeta, code) => {
    const options = { parameter: { providerMeta } }
    await expect(createScriptedProvider(withMeta, options)).rejects.toMatchObject({ code })
  })

  test('are refused for a provider that has no schema of them', async () => {
    const options = { parameter: { providerMeta: { module_name: 'm' } } }
    await expect(createScriptedProvider(() => ({}), options)).rejects.toThrow(
      "the parameter of package 'x' has 'providerMeta', but its provider accepts no metadata",
    )
  })
})
