import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ErrorCode } from '../../shared/errors/catalogue.ts'
import { createSandbox, type Sandbox, requireSuccess } from './sandbox.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, upArgs } from './exported-state.ts'

let sandbox: Sandbox
let good: string

beforeAll(async () => {
  sandbox = createSandbox('small')
  await initDevStack(sandbox)
  requireSuccess(await sandbox.run(upArgs))
  good = await sandbox.exportState()
})

afterAll(() => sandbox.remove())

/** A secret in the format of states. No key of these tests decrypts its ciphertext. */
const sealed = JSON.stringify({
  '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
  ciphertext: 'v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
})
const serviceState =
  '{ "url": "https://api.pulumi.com", "owner": "o", "project": "p", "stack": "s" }'

type Damage = (text: string) => string

test.each<
  readonly [description: string, damage: Damage, code: ErrorCode, pattern: string | RegExp]
>([
  ['empty', () => '', 'STATE_INVALID', /standard input: .*it is empty/],
  [
    'sealed by an external secrets service',
    text =>
      text
        .replace('"type": "passphrase"', '"type": "service"')
        .replace(/"state": \{\s*"salt"[^}]*\}/, `"state": ${serviceState}`)
        .replace('"value": 1', `"value": ${sealed}`),
    'SECRETS_CREDENTIALS_MISSING',
    'there is no access token for https://api.pulumi.com',
  ],
  [
    'with a secret sealed under another key',
    text => text.replace('"value": 1', `"value": ${sealed}`),
    'SECRETS_MALFORMED',
    /ciphertext/,
  ],
])('a state that is %s is not imported', async (_description, damage, code, pattern) => {
  const damaged = damage(good)
  expect(damaged).not.toBe(good)
  const result = await sandbox.run(['stack', 'import', '-s', 'dev'], { input: damaged })
  expectRefused(result, code, [pattern])
  expect(await sandbox.exportState()).toBe(good)
})

test('an import drops a pending operation with a warning', async () => {
  const resource = { urn: 'urn:pulumi:dev::small::gold:index:Thing::x', custom: true }
  const pending = [{ resource: { ...resource, type: 'gold:index:Thing' }, type: 'creating' }]
  const state = JSON.parse(good) as { deployment: Record<string, unknown> }
  state.deployment['pending_operations'] = pending
  writeFileSync(join(sandbox.program, 'pending.json'), JSON.stringify(state))
  const importArgs = ['stack', 'import', '-s', 'dev', '--file', 'pending.json']
  expect(requireSuccess(await sandbox.run(importArgs)).err).toContain(resource.urn)
  expect(await sandbox.exportState()).not.toContain('pending_operations')
})
