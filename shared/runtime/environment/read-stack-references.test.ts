import { expect, test } from 'vitest'
import { createError } from '../../errors/error.ts'
import type { ErrorCode } from '../../errors/catalogue.ts'
import { stackType } from '../../names/urn.ts'
import type { Platform } from '../../ports/platform.ts'
import type { StackId } from '../../records/ids.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'
import { envelopeOf } from '../../state/snapshot-codec.ts'
import { signatureKey, signatures } from '../../values/wire-options.ts'
import { createStackReader } from './read-stack-references.ts'

const other = 'organization/site/other' as StackId

/**
 * Creates a reader of another stack, which has a secret output. `openStateManager` opens the
 * secrets manager of that stack.
 */
function createReader(openStateManager: (stack: StackId) => Promise<SecretsManager>) {
  const outputs = { password: { [signatureKey]: signatures.secret, ciphertext: 'sealed' } }
  const urn = 'urn:pulumi:other::site::pulumi:pulumi:Stack::site-other'
  const envelope = envelopeOf({
    manifest: { time: '2026-01-01T00:00:00Z', magic: '', version: '' },
    secrets_providers: { type: 'cloud', state: { url: 'awskms://a', encryptedkey: 'x' } },
    resources: [{ urn, custom: false, type: stackType, outputs }],
    metadata: {},
  })
  const messages: string[] = []
  const { readOutputs } = createStackReader({
    catalog: { getStack: async () => ({ snapshot: 'hash' }) as never },
    blobs: { get: async () => Buffer.from(JSON.stringify(await envelope)) } as Partial<
      Platform['blobs']
    > as Platform['blobs'],
    readingStack: {
      stack: 'organization/site/dev' as StackId,
      secrets: { type: 'passphrase', state: {} } as unknown as SecretsManager,
    },
    openStateManager: stack => openStateManager(stack),
    reportInfo: message => void messages.push(message),
  })
  return { readOutputs, messages }
}

const refuseWith = (code: ErrorCode) => (): Promise<never> =>
  Promise.reject(createError(code, 'refused'))

test('the secrets manager of another stack is opened for that stack', async () => {
  const opened: StackId[] = []
  const { readOutputs } = createReader(async stack => {
    opened.push(stack)
    return { crypter: { decrypt: () => '"hush"' } } as unknown as SecretsManager
  })
  expect((await readOutputs('organization/site/other')).get('password')).toEqual(
    expect.objectContaining({ value: 'hush' }),
  )
  expect(opened).toEqual([other])
})

test.each(['SECRETS_STACK_MISSING', 'SECRETS_STACK_DIFFERS'] as const)(
  'a data key that is refused with %s is an error, not an empty secret',
  async code => {
    const { readOutputs, messages } = createReader(refuseWith(code))
    await expect(readOutputs('organization/site/other')).rejects.toMatchObject({ code })
    expect(messages).toEqual([])
  },
)

test('a secrets manager that fetches plaintexts gets the secrets of the other stack in one batch', async () => {
  const batches: (readonly string[])[] = []
  const { readOutputs } = createReader(async () => {
    const decrypt = () => '"hush"'
    const prepare: SecretsManager['prepare'] = async ({ ciphertexts }) =>
      void batches.push(ciphertexts)
    return { crypter: { decrypt }, prepare } as unknown as SecretsManager
  })
  await readOutputs('organization/site/other')
  expect(batches).toEqual([['sealed']])
})

test('a secret without a usable key is an empty secret with a message', async () => {
  const { readOutputs, messages } = createReader(refuseWith('SECRETS_KEY_UNUSABLE'))
  await readOutputs('organization/site/other')
  expect(messages).toEqual([expect.stringContaining('eliding undecryptable secrets')])
})
