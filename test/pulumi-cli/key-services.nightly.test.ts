/** Pulumi's own command line and ours on one stack under the keys of KMS and Vault. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emulatorVaultToken } from '../../infra/emulators/emulators.ts'
import { createKeyUrl } from '../aws/create-key-url.ts'
import { describeWithServices } from '../aws/describe-with-services.ts'
import { describeVaultEngine } from '../aws/vault-engine.ts'
import { findFilesWith } from '../e2e/find-files-with.ts'
import { type CommandOptions, type CommandOutput, requireSuccess } from '../e2e/sandbox.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { findWarnings, openStockClient, type StockClient } from './stock-client.ts'

const secret = 'a secret that no file contains'
const program = `'use strict'
const pulumi = require('@pulumi/pulumi')
const { Thing } = require('./gold')
const text = new pulumi.Config().requireSecret('text')
new Thing('thing', { value: text, note: 'plain' })
exports.text = text
`

describeWithServices('a stack under a key service', ['KMS', 'VAULT'], settings => {
  const vault = describeVaultEngine()
  let client: StockClient
  let env: NonNullable<CommandOptions['env']> = {}
  let keyUrls: Readonly<Record<'awskms' | 'hashivault', string>> = { awskms: '', hashivault: '' }

  beforeAll(async () => {
    await vault.createKeys('pulumi')
    keyUrls = {
      awskms: await createKeyUrl(settings()),
      hashivault: vault.keyUrlOf('pulumi'),
    }
    const endpoint = settings().endpoints.KMS
    env = {
      // Pulumi's client reads the first and third variables, and ours the second and fourth.
      AWS_ENDPOINT_URL_KMS: endpoint,
      ANTICHAIN_KMS_ENDPOINT: endpoint,
      VAULT_SERVER_URL: vault.address,
      VAULT_ADDR: vault.address,
      VAULT_SERVER_TOKEN: emulatorVaultToken,
      VAULT_TOKEN: emulatorVaultToken,
    }
    client = await openStockClient(buildPulumiCli(cliVersions[0]))
    writeFileSync(join(client.sandbox.program, 'index.js'), program)
  }, 900_000)
  afterAll(() => client?.remove())

  const run = async (commandLine: 'antichain' | 'pulumi', command: string): Promise<string> => {
    const args = command.split(' ')
    const result: CommandOutput = requireSuccess(
      commandLine === 'antichain'
        ? await client.antichain(args, { env })
        : await client.pulumi(args, env),
    )
    expect([command, findWarnings(result)]).toEqual([command, []])
    return result.out
  }
  const expectOpenSecret = async (): Promise<void> => {
    for (const commandLine of ['pulumi', 'antichain'] as const) {
      const outputs = await run(commandLine, 'stack output --json --show-secrets -s dev')
      expect([commandLine, JSON.parse(outputs)]).toEqual([commandLine, { text: secret }])
    }
    expect(findFilesWith(client.sandbox.home, secret)).toEqual([])
  }

  test.each(['awskms', 'hashivault'] as const)(
    'of %s is created by one command line, and updated, moved and destroyed by the other',
    async name => {
      await run('pulumi', `stack init dev --secrets-provider ${keyUrls[name]}`)
      const args = ['config', 'set', '--secret', 'text', secret, '-s', 'dev']
      requireSuccess(await client.pulumi(args, env))
      await run('pulumi', 'up --yes --skip-preview -s dev')
      await expectOpenSecret()
      await run('antichain', 'up --yes --skip-preview --expect-no-changes -s dev')
      const other = name === 'awskms' ? keyUrls.hashivault : keyUrls.awskms
      await run('antichain', `stack change-secrets-provider ${other} -s dev`)
      await run('pulumi', 'up --yes --skip-preview --expect-no-changes -s dev')
      await expectOpenSecret()
      await run('pulumi', `stack change-secrets-provider ${keyUrls[name]} -s dev`)
      await run('antichain', 'preview --expect-no-changes -s dev')
      await expectOpenSecret()
      await run('antichain', 'destroy --yes --skip-preview -s dev')
      await run('pulumi', 'stack rm --yes dev')
      const calls = client.sandbox.listCalls().map(({ call }) => call)
      expect(calls.filter(call => call === 'update')).toEqual([])
    },
    600_000,
  )
})
