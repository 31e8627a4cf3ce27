import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandOutput, createSandbox, requireSuccess, type Sandbox } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { createAzureServers } from '../key-services/azure-servers.ts'
import { type LoopbackCloud, startLoopbackCloud } from '../key-services/loopback-cloud.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'

const timeoutMs = 600_000
const keys = 'azurekeyvault://acme.vault.azure.net/keys'

describeWithCommands('both command lines with a key of Azure', [['go', 'version']], () => {
  const azure = createAzureServers(['pulumi', 'other'])
  let sandbox: Sandbox
  let cloud: LoopbackCloud
  let cli = ''
  beforeAll(async () => {
    cli = buildPulumiCli(cliVersions[0])
    cloud = await startLoopbackCloud(azure.servers)
    sandbox = createSandbox('shop')
    requireSuccess(await run('antichain', `login file://${sandbox.home}-backend?create_dir=true`))
  }, timeoutMs)
  afterAll(async () => {
    sandbox.remove()
    await cloud.close()
  })

  const run = (commandLine: 'antichain' | 'pulumi', command: string): Promise<CommandOutput> => {
    const env = {
      ...cloud.env,
      ...azure.env,
      PULUMI_BACKEND_URL: `file://${sandbox.home}-backend?create_dir=true`,
      PULUMI_CONFIG_PASSPHRASE: undefined,
      AI_AGENT: undefined,
      CLAUDECODE: undefined,
    }
    const args = command.split(' ')
    if (commandLine === 'antichain') return sandbox.run(args, { env })
    return sandbox.start(['--non-interactive', ...args], { command: cli, env }).done
  }
  const outOf = async (commandLine: 'antichain' | 'pulumi', command: string): Promise<string> =>
    requireSuccess(await run(commandLine, command)).out.trim()

  test('each command line opens the secrets that the other one sealed, also after a change of the key', {
    timeout: timeoutMs,
  }, async () => {
    await outOf('pulumi', `stack init dev --secrets-provider ${keys}/pulumi`)
    await outOf('pulumi', 'config set --secret theirs sealed-by-pulumi -s dev')
    expect(await outOf('antichain', 'config get theirs -s dev')).toBe('sealed-by-pulumi')
    await outOf('antichain', 'config set --secret ours sealed-by-antichain -s dev')
    expect(await outOf('pulumi', 'config get ours -s dev')).toBe('sealed-by-antichain')
    await outOf('antichain', `stack change-secrets-provider ${keys}/other -s dev`)
    const file = readFileSync(join(sandbox.program, 'Pulumi.dev.yaml'), 'utf8')
    expect(file).toContain(`secretsprovider: ${keys}/other\n`)
    for (const [name, value] of [
      ['theirs', 'sealed-by-pulumi'],
      ['ours', 'sealed-by-antichain'],
    ])
      expect(await outOf('pulumi', `config get ${name} -s dev`)).toBe(value)
    await outOf('pulumi', `stack change-secrets-provider ${keys}/pulumi -s dev`)
    expect(await outOf('antichain', 'config get ours -s dev')).toBe('sealed-by-antichain')
  })
})
