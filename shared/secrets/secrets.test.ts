import { describe, expect, test } from 'vitest'
import { openManagerFromState } from './secrets-from-state.ts'
import {
  createPassphraseManager,
  openPassphraseManager,
  readPassphrase,
} from './passphrase-secrets.ts'
import { createKeyedDigest, createSymmetricCrypter } from './symmetric-crypter.ts'

const key = Buffer.alloc(32, 1)
const salt = 'v1:fozI5u6B030=:v1:F+6ZduKKd8G0/V7L:PGMFeIzwobWRKmEAzUdaQHqC5mMRIQ=='
const code = (text: string) => expect.objectContaining({ code: text })

describe('a symmetric crypter', () => {
  const crypter = createSymmetricCrypter(key)

  test('decrypts its own ciphertexts, and uses a new nonce every time', () => {
    const sealed = ['', 'hush', '\u{1f600}\u0000'].map(
      text => [text, crypter.encrypt(text)] as const,
    )
    for (const [text, ciphertext] of sealed) {
      expect(ciphertext).toMatch(/^v1:[A-Za-z0-9+/]{16}:[A-Za-z0-9+/]+=*$/)
      expect(crypter.decrypt(ciphertext)).toBe(text)
    }
    const many = Array.from({ length: 600 }, () => crypter.encrypt('hush').split(':')[1])
    expect(new Set(many).size).toBe(many.length)
  })

  test.each([
    ['no version', 'a:b'],
    ['another version', crypter.encrypt('x').replace('v1', 'v2')],
    ['an extra part', `${crypter.encrypt('x')}:`],
    ['a short nonce', 'v1:AAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['too few bytes for a tag', 'v1:AAAAAAAAAAAAAAAA:AAAA'],
    ['another key', createSymmetricCrypter(Buffer.alloc(32, 2)).encrypt('x')],
    ['a changed byte', crypter.encrypt('hello').replace(/:.{16}:/, ':AAAAAAAAAAAAAAAA:')],
  ])('refuses a ciphertext with %s', (_name, ciphertext) => {
    expect(() => crypter.decrypt(ciphertext)).toThrow(code('SECRETS_MALFORMED'))
  })

  test('digests depend only on the key and the text', () => {
    const digest = createKeyedDigest(key)
    expect(digest('a')).toBe(createKeyedDigest(key)('a'))
    expect(digest('a')).toMatch(/^[0-9a-f]{64}$/)
    expect(
      new Set([digest('a'), digest('b'), createKeyedDigest(Buffer.alloc(32, 2))('a')]).size,
    ).toBe(3)
  })
})

describe('the passphrase manager', () => {
  test("opens Pulumi's salt with its passphrase and refuses another one", async () => {
    const manager = await openPassphraseManager(salt, 'password')
    expect(manager).toMatchObject({ type: 'passphrase', state: { salt } })
    await expect(openPassphraseManager(salt, 'password123')).rejects.toThrow(
      code('SECRETS_PASSPHRASE_WRONG'),
    )
  })

  test('can be opened again after its creation, and derives its key once', async () => {
    const creationStartMs = performance.now()
    const created = await createPassphraseManager('')
    const openingStartMs = performance.now()
    const opened = await openPassphraseManager(created.state['salt'] ?? '', '')
    // A second derivation of the key would take as long as the first one.
    expect(performance.now() - openingStartMs).toBeLessThan((openingStartMs - creationStartMs) / 2)
    expect(opened.crypter.decrypt(created.crypter.encrypt('x'))).toBe('x')
    expect(opened.digest('x')).toBe(created.digest('x'))
  })

  test.each(['', 'v1:AAAA', 'v2:AAAA:v1:A:B', 'v1:AAAA:v1:A:B:C'])(
    'refuses a malformed salt: %j',
    async text => {
      await expect(openPassphraseManager(text, '')).rejects.toThrow(code('SECRETS_MALFORMED'))
    },
  )
})

describe('the passphrase from the environment', () => {
  const read = (path: string): string => {
    if (path === 'there') return ' from file \n'
    throw new Error('no such file')
  }

  test('is the variable, even if empty, or else the trimmed file', () => {
    const variables = { PULUMI_CONFIG_PASSPHRASE: '', PULUMI_CONFIG_PASSPHRASE_FILE: 'there' }
    expect(readPassphrase(variables, read)).toBe('')
    expect(readPassphrase({ PULUMI_CONFIG_PASSPHRASE_FILE: 'there' }, read)).toBe('from file')
    expect(readPassphrase({}, read)).toBeUndefined()
  })

  test('is an error when its file is unreadable', () => {
    expect(() => readPassphrase({ PULUMI_CONFIG_PASSPHRASE_FILE: 'gone' }, read)).toThrow(
      code('SECRETS_PASSPHRASE_MISSING'),
    )
  })
})

describe('the manager of a state', () => {
  test('opens with the passphrase', async () => {
    const manager = await openManagerFromState({ type: 'passphrase', state: { salt } }, 'password')
    expect(manager.state).toEqual({ salt })
  })

  test.each([
    ['the type service', { type: 'service', state: {} }, 'x', 'SECRETS_MANAGER_UNSUPPORTED'],
    ['the type cloud', { type: 'cloud' }, 'x', 'SECRETS_MANAGER_UNSUPPORTED'],
    ['no salt', { type: 'passphrase', state: {} }, 'x', 'SECRETS_MALFORMED'],
    [
      'no passphrase',
      { type: 'passphrase', state: { salt } },
      undefined,
      'SECRETS_PASSPHRASE_MISSING',
    ],
  ])('is refused with %s', async (_name, provider, passphrase, expected) => {
    const opening = openManagerFromState(provider, passphrase)
    await expect(opening).rejects.toThrow(code(expected))
  })

  test('is named in the error', async () => {
    await expect(openManagerFromState({ type: 'service' }, '')).rejects.toThrow("'service'")
  })

  test('may be the manager of test vectors', async () => {
    const { crypter } = await openManagerFromState({ type: 'b64', state: null }, undefined)
    expect(crypter.encrypt('hush')).toBe('aHVzaA==')
    expect(crypter.decrypt('aHVzaA==')).toBe('hush')
  })
})
