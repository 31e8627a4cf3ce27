import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createError } from '../../shared/errors/error.ts'
import { readStackConfig } from '../../shared/programs/config/stack-config.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import type { CliSession } from '../session/session.ts'
import { openRecordedSecrets } from './recorded-secrets.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-secrets-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Creates a service that decrypts texts with the prefix `own:`, and counts blocking requests. */
function createService(failure?: Error) {
  const preparedTexts = new Set<string>()
  const batches: (readonly string[])[] = []
  let blockingCount = 0
  const countBlockingCall = (text: string): void => {
    if (!preparedTexts.has(text)) blockingCount += 1
  }
  const manager: SecretsManager = {
    type: 'service',
    state: { url: 'https://example.com', owner: 'acme', project: 'shop', stack: 'dev' },
    crypter: {
      encrypt(text) {
        countBlockingCall(text)
        return `own:${text}`
      },
      decrypt(text) {
        countBlockingCall(text)
        if (!text.startsWith('own:')) throw createError('SECRETS_MALFORMED', 'another stack')
        return text.slice('own:'.length)
      },
    },
    digest: text => text,
    async prepare({ ciphertexts, plaintexts }) {
      const newTexts = [...ciphertexts.filter(text => !preparedTexts.has(text)), ...plaintexts]
      if (newTexts.length === 0) return
      batches.push(newTexts)
      if (failure !== undefined) throw failure
      if (ciphertexts.some(text => !text.startsWith('own:')))
        throw createError('SECRETS_MALFORMED', 'another stack')
      for (const text of newTexts) preparedTexts.add(text)
    },
  }
  return { manager, batches, countBlocking: () => blockingCount }
}

/** Opens recorded secrets of a stack whose file names a service. */
async function open(manager: SecretsManager, config: Readonly<Record<string, string>>) {
  const path = join(folder, 'Pulumi.dev.yaml')
  writeFileSync(path, 'secretsprovider: service://example.com/acme/shop/dev\n')
  const warnings: string[] = []
  const session = {
    io: { env: {} },
    tools: { loadSecrets: async () => ({ openWithService: async () => manager }) },
    openEngine: async () => ({ exportState: async () => undefined }),
    printToStderr: (text: string) => void warnings.push(text),
  } as unknown as CliSession
  const secrets = await openRecordedSecrets(session, stackIdOf('shop', 'dev'), {
    file: readStackConfig(path, 'shop'),
    config: Object.fromEntries(
      Object.entries(config).map(([key, ciphertext]) => [key, { secure: ciphertext }]),
    ),
  })
  return { secrets, warnings }
}

test('recorded secrets of a service are decrypted in one batch, and no request blocks', async () => {
  const { manager, batches, countBlocking } = createService()
  const { secrets } = await open(manager, { 'shop:a': 'own:first', 'shop:b': 'own:second' })
  expect([...(secrets?.values ?? [])]).toEqual([
    ['shop:a', { kind: 'secure', ciphertext: 'first' }],
    ['shop:b', { kind: 'secure', ciphertext: 'second' }],
  ])
  expect(secrets?.crypter.encrypt('first')).toBe('own:first')
  expect(batches).toEqual([
    ['own:first', 'own:second'],
    ['first', 'second'],
  ])
  expect(countBlocking()).toBe(0)
})

test('a recorded secret of another stack is left out, and hides no other secret', async () => {
  const { manager, countBlocking } = createService()
  const { secrets } = await open(manager, { 'shop:a': 'other:first', 'shop:b': 'own:second' })
  expect([...(secrets?.values.keys() ?? [])]).toEqual(['shop:b'])
  expect(countBlocking()).toBe(0)
})

test.each(['SECRETS_SERVICE_UNAVAILABLE', 'SECRETS_KEY_DENIED', 'SECRETS_KEY_MISSING'] as const)(
  'after the error %s of a service, no secret is restored, and a warning names the reason',
  async code => {
    const { manager, batches } = createService(createError(code, 'the service refuses'))
    const config = { 'shop:a': 'own:first', 'shop:b': 'own:second' }
    expect(await open(manager, config)).toEqual({
      secrets: undefined,
      warnings: ['warning: no secret was restored: the service refuses'],
    })
    expect(batches).toHaveLength(1)
  },
)

test('an error that does not come from the secrets provider is thrown', async () => {
  const { manager } = createService(createError('CONFIG_INVALID', 'the file is damaged'))
  await expect(open(manager, { 'shop:a': 'own:first' })).rejects.toThrow('the file is damaged')
})
