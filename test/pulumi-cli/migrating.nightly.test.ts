/** Runs the commands of docs/migrating.md with the real command lines. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launcher, requireSuccess } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { openStockClient, type StockClient } from './stock-client.ts'

const timeoutMs = 600_000
const page = readFileSync(resolve(import.meta.dirname, '../../docs/migrating.md'), 'utf8')

/** Returns the commands of the page's code blocks with this name. */
function readCommands(name: string): string {
  const blocks = [...page.matchAll(/^```sh (\w+)\n([\s\S]*?)^```$/gm)]
  return blocks.flatMap(([, label, text]) => (label === name ? [text] : [])).join('')
}

describeWithCommands('a move from Pulumi', [['go', 'version']], () => {
  let client: StockClient
  let oldBackend = ''
  let commandsFolder = ''
  beforeAll(async () => {
    const cli = buildPulumiCli(cliVersions[0])
    client = await openStockClient(cli)
    const { sandbox } = client
    commandsFolder = join(sandbox.home, '../commands')
    const backendFolder = join(sandbox.home, '../old-backend')
    mkdirSync(commandsFolder)
    mkdirSync(backendFolder)
    symlinkSync(cli, join(commandsFolder, 'pulumi'))
    symlinkSync(launcher, join(commandsFolder, 'antichain'))
    oldBackend = `file://${backendFolder}`
    await runCommands('pulumi login s3://acme-state; pulumi stack init prod')
    await runCommands('pulumi config set --secret key hush; pulumi up --yes --skip-preview')
  }, timeoutMs)
  afterAll(() => client?.remove())

  /** Runs commands of the page, with the backend and the server of the test. */
  async function runCommands(commands: string, home?: string): Promise<string> {
    const { sandbox, url, variables } = client
    const script = commands
      .replaceAll('s3://acme-state', oldBackend)
      .replaceAll('http://127.0.0.1:7000', url)
      .replace(/^antichain serve .*&$/m, '')
    const env = {
      ...variables,
      PATH: `${commandsFolder}${delimiter}${variables['PATH']}`,
      PULUMI_CONFIG_PASSPHRASE: 'open sesame',
      PULUMI_BACKEND_URL: undefined,
      PULUMI_ACCESS_TOKEN: undefined,
      ...(home === undefined ? {} : { ANTICHAIN_HOME: join(sandbox.home, '..', home) }),
    }
    const { out, err } = requireSuccess(
      await sandbox.run(['-euc', script], { command: 'bash', env }),
    )
    return out + err
  }

  test(
    'keeps the bucket, and both command lines see the new state',
    async () => {
      const output = await runCommands(readCommands('bucket'), 'bucket-home')
      expect(output).toContain('prod')
      await runCommands('antichain logout', 'bucket-home')
    },
    timeoutMs,
  )

  test(
    'by a file keeps secrets and state',
    async () => {
      await runCommands(readCommands('export'), 'export-home')
      const show = 'antichain config get key -s prod; pulumi config get key -s prod'
      expect(await runCommands(show, 'export-home')).toMatch(/hush[^]*hush/)
    },
    timeoutMs,
  )

  test(
    'to the service keeps the history, and our engine deploys the same stack',
    async () => {
      await runCommands(readCommands('login'))
      const history = await runCommands(readCommands('engine'))
      // Two deployments of the old backend (of `beforeAll` and the test of the bucket, which ran
      // before), the import, and one of each command line.
      expect(history.match(/^\d+ +\w+ +succeeded/gm)).toHaveLength(5)
    },
    timeoutMs,
  )

  test(
    'back to a backend of Pulumi needs only the exported state',
    async () => {
      oldBackend = `${oldBackend}-2`
      mkdirSync(new URL(oldBackend))
      await runCommands(readCommands('back'))
      // The provider still has its one object, so nothing was created or deleted.
      expect(client.sandbox.listObjects()).toHaveLength(1)
    },
    timeoutMs,
  )
})
