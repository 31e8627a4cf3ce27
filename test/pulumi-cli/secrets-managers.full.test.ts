/** Stacks of a server whose secrets belong to a passphrase, to a key service, or to the server. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFilesWith } from '../e2e/find-files-with.ts'
import { type CommandOutput, requireSuccess } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { createAzureServers } from '../key-services/azure-servers.ts'
import { type LoopbackCloud, startLoopbackCloud } from '../key-services/loopback-cloud.ts'
import { verifyExport } from '../verifier/verify.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { findWarnings, openStockClient, type StockClient } from './stock-client.ts'

const timeoutMs = 300_000
const secret = 'a secret that no file contains'
const passphrase = 'a passphrase that no file contains'
const keys = 'azurekeyvault://acme.vault.azure.net/keys'
const [key, otherKey] = [`${keys}/pulumi`, `${keys}/other`]
const program = `'use strict'
const pulumi = require('@pulumi/pulumi')
const { Thing } = require('./gold')
const text = new pulumi.Config().requireSecret('text')
new Thing('thing', { value: text, note: 'plain' })
exports.text = text
`

type CommandLine = 'antichain' | 'pulumi'

describeWithCommands('a stack of a server', [['go', 'version']], () => {
  const azure = createAzureServers(['pulumi', 'other'])
  let client: StockClient
  let cloud: LoopbackCloud
  beforeAll(async () => {
    cloud = await startLoopbackCloud(azure.servers)
    client = await openStockClient(buildPulumiCli(cliVersions[0]))
    writeFileSync(join(client.sandbox.program, 'index.js'), program)
  }, 900_000)
  afterAll(async () => {
    await client?.remove()
    await cloud?.close()
  })

  const runWith = (
    variables: Readonly<Record<string, string | undefined>>,
    commandLine: CommandLine,
    command: string,
  ): Promise<CommandOutput> => {
    const env = { ...cloud.env, ...azure.env, ...variables }
    const args = command.split(' ')
    if (commandLine === 'antichain') return client.antichain(args, { env })
    // A change to a passphrase reads the new passphrase from the standard input.
    return client.pulumi(args, env, `${passphrase}\n`)
  }
  const run = async (commandLine: CommandLine, command: string): Promise<string> => {
    const variables = { PULUMI_CONFIG_PASSPHRASE: passphrase }
    const result = requireSuccess(await runWith(variables, commandLine, command))
    expect([command, findWarnings(result)]).toEqual([command, []])
    return result.out
  }
  /** Expects one valid state with this manager in both command lines, and that both open it. */
  const expectManager = async (type: string, stack = 'dev'): Promise<void> => {
    const exported = await run('pulumi', `stack export -s ${stack}`)
    const ours = await run('antichain', `stack export -s ${stack}`)
    expect(JSON.parse(ours)).toEqual(JSON.parse(exported))
    expect(JSON.parse(ours)).toMatchObject({ deployment: { secrets_providers: { type } } })
    const rules = { sealed: true, hasServiceCiphertext: type === 'service' }
    expect(verifyExport(ours, rules)).toEqual([])
    for (const commandLine of ['pulumi', 'antichain'] as const) {
      const outputs = await run(commandLine, `stack output --json --show-secrets -s ${stack}`)
      expect([type, commandLine, JSON.parse(outputs)]).toEqual([
        type,
        commandLine,
        { text: secret },
      ])
    }
    expect(findFilesWith(client.sandbox.home, secret)).toEqual([])
  }
  const createStack = async (stack: string, provider: string): Promise<void> => {
    await run('pulumi', `stack init ${stack} --secrets-provider ${provider}`)
    const variables = { ...cloud.env, ...azure.env, PULUMI_CONFIG_PASSPHRASE: passphrase }
    const args = ['config', 'set', '--secret', 'text', secret, '-s', stack]
    requireSuccess(await client.pulumi(args, variables))
  }
  const upWithoutChanges = 'up --yes --skip-preview --expect-no-changes -s dev'
  const changeProvider = 'stack change-secrets-provider'

  test('keeps its objects and opens its secrets with both command lines after each change of its secrets provider', {
    timeout: timeoutMs,
  }, async () => {
    await createStack('dev', 'default')
    await run('pulumi', 'up --yes --skip-preview -s dev')
    await expectManager('service')
    await run('pulumi', `${changeProvider} passphrase -s dev`)
    await run('antichain', upWithoutChanges)
    await expectManager('passphrase')
    await run('pulumi', `${changeProvider} ${key} -s dev`)
    await run('antichain', 'preview --expect-no-changes -s dev')
    await expectManager('cloud')
    await run('pulumi', `${changeProvider} default -s dev`)
    await expectManager('service')
    await run('antichain', `${changeProvider} ${otherKey} -s dev`)
    await run('pulumi', upWithoutChanges)
    await expectManager('cloud')
    const calls = client.sandbox.listCalls().map(({ call }) => call)
    expect(calls.filter(call => ['create', 'update', 'delete'].includes(call))).toEqual(['create'])
    expect(cloud.listBodies().filter(body => body.includes(secret))).toEqual([])
  })

  test('with a key service is deployed by one command line and destroyed by the other', {
    timeout: timeoutMs,
  }, async () => {
    await createStack('keys', key)
    await run('pulumi', 'up --yes --skip-preview -s keys')
    await expectManager('cloud', 'keys')
    await run('antichain', 'destroy --yes --skip-preview -s keys')
    await run('pulumi', 'stack rm --yes keys')
  })

  test('with a passphrase is not opened without it by either command line, and stays the same', {
    timeout: timeoutMs,
  }, async () => {
    await createStack('closed', 'passphrase')
    for (const variables of [{}, { PULUMI_CONFIG_PASSPHRASE: 'wrong' }])
      for (const commandLine of ['pulumi', 'antichain'] as const) {
        const command = 'up --yes --skip-preview -s closed'
        const refused = await runWith(
          { PULUMI_CONFIG_PASSPHRASE: undefined, ...variables },
          commandLine,
          command,
        )
        expect([commandLine, refused.exit, refused.err]).toEqual([
          commandLine,
          1,
          expect.stringMatching(/passphrase/),
        ])
      }
    expect(JSON.parse(await run('pulumi', 'stack history --json -s closed'))).toEqual([])
  })
})
