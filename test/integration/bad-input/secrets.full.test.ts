import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ErrorCode } from '../../../shared/errors/catalogue.ts'
import {
  type BadInputBench,
  closedAddress,
  createBadInputBench,
  recordedExport,
  toCheckpoint,
  writeCheckpoint,
} from './bad-input-bench.ts'

let bench: BadInputBench

beforeEach(() => {
  bench = createBadInputBench()
  writeCheckpoint(bench, toCheckpoint(recordedExport))
  bench.useBackend()
})

afterEach(() => bench.remove())

/** Commands that decrypt a secret of the state or of the configuration. */
const commands = [
  ['up', '-s', 'dev', '--yes', '--skip-preview'],
  ['stack', 'output', '-s', 'dev', '--show-secrets'],
  ['config', 'set', '--secret', 'key', 'value', '-s', 'dev'],
]

async function refuseAll(code: ErrorCode, patterns: readonly (string | RegExp)[]): Promise<void> {
  for (const args of commands) await bench.refuse(args, code, patterns)
}

describe('a passphrase', () => {
  const useFile = (file: string): void => {
    Object.assign(bench.env, {
      PULUMI_CONFIG_PASSPHRASE: undefined,
      PULUMI_CONFIG_PASSPHRASE_FILE: join(bench.root, file),
    })
  }

  test('that is wrong is refused with the names of the variables', async () => {
    bench.env['PULUMI_CONFIG_PASSPHRASE'] = 'silver'
    await refuseAll('SECRETS_PASSPHRASE_WRONG', ['PULUMI_CONFIG_PASSPHRASE_FILE'])
  })

  test('that is wrong in a file is refused', async () => {
    bench.write('passphrase', 'silver\n')
    useFile('passphrase')
    await refuseAll('SECRETS_PASSPHRASE_WRONG', ['incorrect passphrase'])
  })

  test('whose file is missing or a folder is refused with the path', async () => {
    useFile('nowhere')
    await refuseAll('SECRETS_PASSPHRASE_MISSING', [
      `cannot read the passphrase file '${bench.root}/nowhere'`,
    ])
    useFile('.')
    await refuseAll('SECRETS_PASSPHRASE_MISSING', [
      `cannot read the passphrase file '${bench.root}'`,
    ])
  })

  test('that is not set is refused with the names of the variables', async () => {
    bench.env['PULUMI_CONFIG_PASSPHRASE'] = undefined
    await refuseAll('SECRETS_PASSPHRASE_MISSING', ['Set PULUMI_CONFIG_PASSPHRASE or'])
  })

  test('that does not open an imported state is refused with the name of the other stack', async () => {
    bench.leaveBackend()
    bench.env['PULUMI_CONFIG_PASSPHRASE'] = 'silver'
    bench.write('Pulumi.dev.yaml', '')
    bench.write('state.json', recordedExport)
    expect((await bench.run('stack', 'init', 'dev')).exit).toBe(0)
    await bench.refuse(
      ['stack', 'import', '-s', 'dev', '--file', 'state.json'],
      'SECRETS_PASSPHRASE_WRONG',
      ['does not open the secrets of the imported state', '--show-secrets'],
    )
  })
})

describe('a stack file', () => {
  const salt = /"salt": "([^"]*)"/.exec(recordedExport)?.[1] ?? ''
  const withSecret = (ciphertext: string): string =>
    `encryptionsalt: ${salt}\nconfig:\n  golden:key:\n    secure: ${ciphertext}\n`
  const tampered = 'v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

  test.each([
    ['tampered', tampered, 'cannot be decrypted with the key of this stack'],
    ['malformed', 'nonsense', 'does not have the form'],
  ])('with a %s ciphertext is refused with the key', async (_what, ciphertext, pattern) => {
    bench.write('Pulumi.dev.yaml', withSecret(ciphertext))
    for (const args of [
      ...commands.slice(0, 1),
      ['config', 'get', 'key', '-s', 'dev'],
      ['config', '--show-secrets', '-s', 'dev'],
    ])
      await bench.refuse(args, 'SECRETS_MALFORMED', [
        /cannot decrypt the configuration value '(golden:)?key'/,
        pattern,
        'config set --secret',
      ])
    expect((await bench.run('config', '-s', 'dev')).out).toContain('[secret]')
  })

  test.each([
    ['a malformed salt', 'encryptionsalt: v9:x\n', 'SECRETS_MALFORMED', 'encryptionsalt'],
    ['a syntax error', 'config: [\n', 'CONFIG_INVALID', /Pulumi\.dev\.yaml:2:1/],
    [
      'an unknown key service',
      'secretsprovider: vault2://k\nencryptedkey: AAAA\n',
      'FEATURE_MISSING',
      'vault2://k',
    ],
    [
      'an unreachable key service',
      'secretsprovider: hashivault://k\nencryptedkey: dmF1bHQ6djE6QUFBQQ==\n',
      'SECRETS_SERVICE_UNAVAILABLE',
      /the key k .*ECONNREFUSED 127\.0\.0\.1:9/,
    ],
  ] as const)('with %s is refused', async (_what, content, code, pattern) => {
    Object.assign(bench.env, { VAULT_ADDR: closedAddress, VAULT_TOKEN: 'fake' })
    bench.write('Pulumi.dev.yaml', content)
    await bench.refuse(commands[0] ?? [], code, [pattern])
  })
})
