import { expect, test } from 'vitest'
import { openConfigValue } from '../../programs/config/open-config.ts'
import { toConfigTree, type StoredConfigValue } from '../../programs/config/config-tree.ts'
import { createConfigRedactor } from './redact-config-secrets.ts'

function redact(values: Readonly<Record<string, unknown>>, message: string): string {
  const config = new Map(
    Object.entries(values).map(([key, value]) => [
      key,
      openConfigValue(toConfigTree(value) as StoredConfigValue, ciphertext => `open ${ciphertext}`),
    ]),
  )
  return createConfigRedactor({ config })(message)
}

test('a secret value is removed from a message, and a plain one stays', () => {
  const values = { 'p:token': { secure: 'abc' }, 'p:region': 'north' }
  expect(redact(values, 'open abc in north')).toBe('[secret] in north')
})

test('a secret of a map or list is removed, without the plain texts beside it', () => {
  const database = { region: 'north', password: { secure: 'one' }, keys: [{ secure: 'two' }] }
  expect(redact({ 'p:database': database }, 'open one, then open two in north')).toBe(
    '[secret], then [secret] in north',
  )
})
