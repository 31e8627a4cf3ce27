/** Stacks whose secrets a service of Pulumi encrypts, used by the command line. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type PulumiService,
  serviceToken,
  startPulumiService,
} from '../key-services/pulumi-secrets-server.ts'
import { listCiphertexts } from '../../shared/state/list-ciphertexts.ts'
import { verifyExport } from '../verifier/verify.ts'
import { findFilesWith } from './find-files-with.ts'
import { type CommandOutput, createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'

const password = 'hunter-two-and-a-half'

let sandbox: Sandbox
let service: PulumiService
beforeEach(async () => {
  service = await startPulumiService(['acme/shop/dev', 'acme/shop/prod'])
  sandbox = createSandbox('shop')
})
afterEach(async () => {
  sandbox.remove()
  await service.close()
})

type Variables = Readonly<Record<string, string | undefined>>

const run = (command: string, env: Variables = {}): Promise<CommandOutput> =>
  sandbox.run(command.split(' '), {
    env: {
      PULUMI_CONFIG_PASSPHRASE: undefined,
      PULUMI_BACKEND_URL: service.address,
      PULUMI_ACCESS_TOKEN: serviceToken,
      ...env,
    },
  })
const runAll = async (...commands: readonly string[]): Promise<void> => {
  for (const command of commands) requireSuccess(await run(command))
}
const filePath = (): string => join(sandbox.program, 'Pulumi.dev.yaml')
const readStackFile = (): string => readFileSync(filePath(), 'utf8')
const urlOf = (stack: string): string =>
  `service://${new URL(service.address).host}/acme/shop/${stack}`
const changeCommand = 'stack change-secrets-provider'

/** Checks that the secrets are sealed in all records, and readable. Returns the export. */
async function expectSameSecrets(): Promise<string> {
  const exported = requireSuccess(await run('stack export')).out
  expect(verifyExport(exported, { sealed: true, hasServiceCiphertext: true })).toEqual([])
  expect(exported + readStackFile()).not.toContain(password)
  expect(findFilesWith(sandbox.home, password)).toEqual([])
  const outputs = requireSuccess(await run('stack output --json --show-secrets')).out
  expect(JSON.parse(outputs)).toMatchObject({ password })
  expect(requireSuccess(await run('config get password')).out.trim()).toBe(password)
  expect(requireSuccess(await run('up --yes --skip-preview')).out).toMatch(/unchanged/)
  return exported
}

test('a stack under a service is deployed, and no plaintext is stored', {
  timeout: 400_000,
}, async () => {
  await runAll(
    `stack init dev --secrets-provider ${urlOf('dev')}`,
    `config set --secret password ${password}`,
    'up --yes',
  )
  const state = JSON.parse(await expectSameSecrets())
  expect(state).toMatchObject({
    deployment: {
      secrets_providers: {
        type: 'service',
        state: { url: service.address, owner: 'acme', project: 'shop', stack: 'dev' },
      },
    },
  })
  expect(Object.keys(state.deployment.secrets_providers.state)).toEqual([
    ...['url', 'owner', 'project', 'stack'],
  ])
  const requests = service.listPaths()
  expect(requests).toContain('/api/stacks/acme/shop/dev/batch-decrypt')
  // The second program changes other resources and keeps these secrets.
  requireSuccess(await run('up --yes --skip-preview', { STEP: '2' }))
  const nextState = JSON.parse(requireSuccess(await run('stack export')).out)
  const keptCiphertexts = listCiphertexts(nextState).filter(text =>
    listCiphertexts(state).includes(text),
  )
  expect(keptCiphertexts.length).toBeGreaterThan(listCiphertexts(state).length / 2)
  await runAll('destroy --yes --skip-preview')
})

test('a stack of a service is imported with its file, moves to a passphrase, and back to the service', {
  timeout: 400_000,
}, async () => {
  await runAll(
    `stack init dev --secrets-provider ${urlOf('dev')}`,
    `config set --secret password ${password}`,
    'up --yes',
    `stack export --file ${join(sandbox.program, 'state.json')}`,
    `${changeCommand} ${urlOf('dev')}`,
  )
  // A stack file from Pulumi's service names no secrets manager. Only the state names it.
  const file = readStackFile()
  expect(file).toMatch(/^config:\n/)
  await runAll('stack rm dev --force --yes')
  writeFileSync(filePath(), file)
  const passphrase = { PULUMI_CONFIG_PASSPHRASE: 'later' }
  requireSuccess(await run('stack init dev', passphrase))
  expect(readStackFile()).toBe(file)
  await runAll('stack import --file state.json')
  await expectSameSecrets()
  expect(readStackFile()).toBe(file)
  requireSuccess(await run(`${changeCommand} passphrase`, passphrase))
  expect(readStackFile()).toMatch(/^encryptionsalt: /)
  const outputs = await run('stack output --json --show-secrets', {
    ...passphrase,
    PULUMI_ACCESS_TOKEN: undefined,
  })
  expect(JSON.parse(requireSuccess(outputs).out)).toMatchObject({ password })
  requireSuccess(await run(`${changeCommand} ${urlOf('prod')}`, passphrase))
  await expectSameSecrets()
})

test('a service is refused with a code for a wrong URL, token, stack, permission or ciphertext', {
  timeout: 400_000,
}, async () => {
  await runAll(
    `stack init dev --secrets-provider ${urlOf('dev')}`,
    `config set --secret password ${password}`,
  )
  const file = readStackFile()
  const expectRefused = async (command: string, code: string, env?: Variables): Promise<void> => {
    const { exit, err } = await run(command, env)
    expect([command, exit === 0, err]).toEqual([command, false, expect.stringContaining(code)])
    expect(err).not.toContain('    at ')
    expect(readStackFile()).toBe(file)
  }
  for (const url of ['service', 'service://x/acme', `${urlOf('dev')}?x=1`, urlOf('../prod')])
    await expectRefused(`${changeCommand} ${url}`, 'SECRETS_URL_INVALID')
  await expectRefused(`${changeCommand} ${urlOf('absent')}`, 'SECRETS_KEY_MISSING')
  const getCommand = 'config get password'
  await expectRefused(getCommand, 'SECRETS_CREDENTIALS_MISSING', { PULUMI_ACCESS_TOKEN: 'wrong' })
  // The token of the current service is sent to no other one.
  const requestCount = service.listTokens().length
  const elsewhere = { PULUMI_BACKEND_URL: 'https://api.example.com' }
  await expectRefused(getCommand, 'SECRETS_CREDENTIALS_MISSING', elsewhere)
  expect(service.listTokens()).toHaveLength(requestCount)
  service.setDenied(true)
  await expectRefused(getCommand, 'SECRETS_KEY_DENIED')
  await expectRefused(`${changeCommand} ${urlOf('prod')}`, 'SECRETS_KEY_DENIED')
  service.setDenied(false)
  writeFileSync(filePath(), file.replace('shop/dev', 'shop/prod'))
  expect((await run(getCommand)).err).toContain('SECRETS_MALFORMED')
  writeFileSync(filePath(), file)
  expect(requireSuccess(await run(getCommand)).out.trim()).toBe(password)
})
