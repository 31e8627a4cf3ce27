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
const saltPrefix = '"salt": "v1:'
const serviceState =
  '{ "url": "https://api.pulumi.com", "owner": "o", "project": "p", "stack": "s" }'

type Damage = (text: string) => string

test.each<
  readonly [description: string, damage: Damage, code: ErrorCode, pattern: string | RegExp]
>([
  ['empty', () => '', 'STATE_INVALID', 'standard input: .*it is empty'],
  ['truncated', text => text.slice(0, text.length / 2), 'STATE_INVALID', 'is not JSON'],
  ['no deployment', () => '[1, 2]', 'STATE_INVALID', 'malformed'],
  ['without a version', () => '{"deployment": {}}', 'STATE_INVALID', 'version'],
  ['from a newer version', () => '{"version": 9, "deployment": {}}', 'STATE_TOO_NEW', 'version 9'],
  [
    'with an unknown feature',
    text => text.replace('"version": 3,', '"version": 4, "features": ["telepathy"],'),
    'STATE_TOO_NEW',
    'telepathy',
  ],
  [
    'malformed in a resource',
    text => text.replace('"custom": true', '"custom": 5'),
    'STATE_INVALID',
    /malformed at 'resources.*custom'/,
  ],
  [
    'of another stack',
    text => text.replaceAll('urn:pulumi:dev::', 'urn:pulumi:prod::'),
    'STATE_FOREIGN',
    "does not belong to stack 'dev'",
  ],
  [
    'without the provider of a resource',
    text => text.replace(/"provider": "([^"]*)::[^"]*"/, '"provider": "$1::gone"'),
    'STATE_INTEGRITY',
    'gone',
  ],
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
  [
    'with a broken salt',
    text => text.replace(saltPrefix, '"salt": "v9:').replace('"value": 1', `"value": ${sealed}`),
    'SECRETS_MALFORMED',
    'salt',
  ],
])('a state that is %s is not imported', async (_description, damage, code, pattern) => {
  const damaged = damage(good)
  expect(damaged).not.toBe(good)
  const result = await sandbox.run(['stack', 'import', '-s', 'dev'], { input: damaged })
  expectRefused(result, code, [pattern])
  expect(await sandbox.exportState()).toBe(good)
})

test('the import of a missing file names the file', async () => {
  const result = await sandbox.run(['stack', 'import', '-s', 'dev', '--file', 'nowhere.json'])
  expectRefused(result, 'FILE_UNREADABLE', ['nowhere.json'])
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
