import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseEnvelope, printEnvelope } from '../../shared/state/snapshot-codec.ts'

/**
 * The folder of states that the real Pulumi CLI 3.274.1 exported after it ran programs of
 * test/golden. The programs used the provider in test/golden and the passphrase `golden`.
 */
const folder = join(import.meta.dirname, '../fixtures/recorded-states')
const names = readdirSync(folder)

test.each(names)('the state %s of the real CLI is printed without a changed byte', async name => {
  const text = readFileSync(join(folder, name), 'utf8')
  expect(await printEnvelope(await parseEnvelope(text))).toBe(text)
})
