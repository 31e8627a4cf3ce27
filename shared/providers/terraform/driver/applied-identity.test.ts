import { expect, test } from 'vitest'
import { createScriptedProvider, inputsOf } from './scripted-provider.fixture.ts'

const createProviderWithInvalidIdentity = () =>
  createScriptedProvider(base => ({
    applyResourceChange: async request => ({
      ...(await base.applyResourceChange(request)),
      // The text `x`, where an object is required.
      newIdentity: { msgpack: Uint8Array.of(0xa1, 0x78) },
    }),
  }))

test('a create that returns an invalid identity fails, and the object is recorded', async () => {
  const { create } = await createProviderWithInvalidIdentity()
  await expect(create(inputsOf({ label: 'a' }))).rejects.toMatchObject({
    status: 'partial',
    message: expect.stringContaining('sent an invalid identity'),
    partialResource: { id: 'id-a' },
  })
})

test('a delete that returns an invalid identity fails, and the object stays recorded', async () => {
  const { outputs } = await (await createScriptedProvider()).create(inputsOf({ label: 'a' }))
  const { remove } = await createProviderWithInvalidIdentity()
  await expect(remove(outputs)).rejects.toMatchObject({
    status: 'ok',
    message: expect.stringContaining('sent an invalid identity'),
  })
})
