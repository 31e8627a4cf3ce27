import { expect, test } from 'vitest'
import { createScriptedProvider, inputsOf } from './scripted-provider.fixture.ts'

test('a create that returns an invalid identity fails, and the object is recorded', async () => {
  const { create } = await createScriptedProvider(base => ({
    applyResourceChange: async request => ({
      ...(await base.applyResourceChange(request)),
      newIdentity: { msgpack: Uint8Array.of(0xa1, 0x78) },
    }),
  }))
  await expect(create(inputsOf({ label: 'a' }))).rejects.toMatchObject({
    status: 'partial',
    message: expect.stringContaining('sent an invalid identity'),
    partialResource: { id: 'id-a' },
  })
})
