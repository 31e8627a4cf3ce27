import { describe, expect, test } from 'vitest'
import { createCloudManager, openCloudManager, type KeyKeeper } from './cloud-secrets.ts'
import { type AllowedKeys, withKeyStack } from './key-stack.ts'

const stack = 'organization/shop/prod'
const field = 'context_antichain-stack'

describe('the stack in a key URL', () => {
  test.each([
    ['awskms://alias/a', `awskms://alias/a?${field}=${stack}`],
    ['awskms://alias/a?', `awskms://alias/a?${field}=${stack}`],
    [
      'awskms://a?region=r&context_x=a%20b',
      `awskms://a?region=r&context_x=a%20b&${field}=${stack}`,
    ],
    [`awskms://a?${field}=organization/shop/dev&region=r`, `awskms://a?region=r&${field}=${stack}`],
    [`awskms://a?context%5Fantichain-stack=x`, `awskms://a?${field}=${stack}`],
    [`awskms://a?${field}=${stack}`, `awskms://a?${field}=${stack}`],
  ])('of %s is replaced or added, and all other parts stay', (url, expected) => {
    expect(withKeyStack(url, stack)).toBe(expected)
  })

  test('is not added to an invalid URL', () => {
    expect(() => withKeyStack('awskms://a#b', stack)).toThrow(
      expect.objectContaining({ code: 'SECRETS_URL_INVALID' }),
    )
  })
})

/**
 * Creates a keeper that records its calls. It authenticates the URL, as KMS authenticates the
 * encryption context.
 */
function createRecordingKeeper(): KeyKeeper & { readonly calls: string[] } {
  const calls: string[] = []
  return {
    calls,
    wrap: async (url, key) => {
      calls.push(`wrap ${url}`)
      return Buffer.concat([key, Buffer.from(url)])
    },
    unwrap: async (url, sealed) => {
      calls.push(`unwrap ${url}`)
      const sealedUrl = Buffer.from(sealed).subarray(32).toString()
      if (sealedUrl !== url) throw new Error('the context differs')
      return Buffer.from(sealed).subarray(0, 32)
    },
  }
}

describe('a data key', () => {
  const url = 'awskms://alias/a?region=r'
  const keysInFunctions: AllowedKeys = { kind: 'own', stack }
  const keysOnOneMachine: AllowedKeys = { kind: 'own-or-unnamed', stack }

  /** Returns the type of the opened manager or the code of the error, and the number of calls. */
  async function open(keyUrl: string, allowed: AllowedKeys) {
    const keeper = createRecordingKeeper()
    const encryptedKey = Buffer.from(await keeper.wrap(keyUrl, new Uint8Array(32))).toString(
      'base64',
    )
    keeper.calls.length = 0
    const outcome = await openCloudManager({ url: keyUrl, encryptedKey }, { keeper, allowed }).then(
      ({ type }) => type,
      ({ code }) => code,
    )
    return [outcome, keeper.calls.length]
  }

  test('with a profile is not opened in functions, which have no profiles', async () => {
    const profileUrl = `${url}&profile=audit&${field}=${stack}`
    expect(await open(profileUrl, keysInFunctions)).toEqual(['SECRETS_URL_INVALID', 0])
    expect(await open(profileUrl, keysOnOneMachine)).toEqual(['cloud', 1])
  })

  test('is created with its stack in the encryption context, and opens for that stack', async () => {
    const keeper = createRecordingKeeper()
    const { state } = await createCloudManager({ url, stack }, keeper)
    expect(state['url']).toBe(`${url}&${field}=${stack}`)
    expect(keeper.calls).toEqual([`wrap ${url}&${field}=${stack}`])
    expect(await open(withKeyStack(url, stack), keysInFunctions)).toEqual(['cloud', 1])
  })

  test.each([
    [withKeyStack(url, 'organization/shop/dev'), keysInFunctions, 'SECRETS_STACK_DIFFERS'],
    [withKeyStack(url, 'organization/shop/dev'), keysOnOneMachine, 'SECRETS_STACK_DIFFERS'],
    [withKeyStack(url, 'organization/shop/Prod'), keysOnOneMachine, 'SECRETS_STACK_DIFFERS'],
    [`${url}&${field}=`, keysOnOneMachine, 'SECRETS_STACK_DIFFERS'],
    [url, keysInFunctions, 'SECRETS_STACK_MISSING'],
    // Keys of an encryption context are case-sensitive.
    [`${url}&context_Antichain-Stack=${stack}`, keysInFunctions, 'SECRETS_STACK_MISSING'],
    // Keys of Vault cannot name a stack.
    ['hashivault://k', keysInFunctions, 'SECRETS_MANAGER_UNSUPPORTED'],
  ])(
    'under %s, where %j is allowed, is refused before the key service is called: %s',
    async (keyUrl, allowed, code) => {
      expect(await open(keyUrl, allowed)).toEqual([code, 0])
    },
  )

  test('without a stack opens where it is allowed', async () => {
    for (const keyUrl of [url, 'hashivault://k'])
      expect(await open(keyUrl, keysOnOneMachine)).toEqual(['cloud', 1])
  })

  test('of another stack opens only for a user who may open any', async () => {
    expect(await open(withKeyStack(url, 'organization/a/b'), { kind: 'any' })).toEqual(['cloud', 1])
  })

  test('that was opened for its stack is refused for another one', async () => {
    const keeper = createRecordingKeeper()
    const { state } = await createCloudManager({ url, stack }, keeper)
    const key = { url: state['url'] ?? '', encryptedKey: state['encryptedkey'] ?? '' }
    await openCloudManager(key, { keeper, allowed: keysInFunctions })
    const foreign: AllowedKeys = { kind: 'own', stack: 'organization/shop/dev' }
    await expect(openCloudManager(key, { keeper, allowed: foreign })).rejects.toMatchObject({
      code: 'SECRETS_STACK_DIFFERS',
      message: expect.stringContaining('stack change-secrets-provider'),
    })
  })
})
