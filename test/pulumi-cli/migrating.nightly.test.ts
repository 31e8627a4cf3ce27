/** Runs the commands of docs/migrating.md with the real command lines. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithServices } from '../aws/describe-with-services.ts'
import { launcher, requireSuccess } from '../e2e/sandbox.ts'
import { findFreePort } from '../find-free-port.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { createBackendAddress } from './create-backend-address.ts'
import { openStockClient, type StockClient } from './stock-client.ts'

const timeoutMs = 600_000
const page = readFileSync(resolve(import.meta.dirname, '../../docs/migrating.md'), 'utf8')

/** Returns the commands of the page's code blocks with this name. */
function readCommands(name: string): string {
  const blocks = [...page.matchAll(/^```sh (\w+)\n([\s\S]*?)^```$/gm)]
  return blocks.flatMap(([, label, text]) => (label === name ? [text] : [])).join('')
}

describeWithServices('a move from Pulumi', ['S3'], () => {
  let client: StockClient
  let oldBackend = ''
  let commandsFolder = ''
  let port = 0
  beforeAll(async () => {
    const cli = buildPulumiCli(cliVersions[0])
    client = await openStockClient(cli)
    const { sandbox } = client
    commandsFolder = join(sandbox.home, '../commands')
    mkdirSync(commandsFolder)
    symlinkSync(cli, join(commandsFolder, 'pulumi'))
    symlinkSync(launcher, join(commandsFolder, 'antichain'))
    oldBackend = (await createBackendAddress('s3', '')).address
    port = await findFreePort()
    await runCommands('pulumi login s3://acme-state; pulumi stack init prod')
    await runCommands('pulumi config set --secret key hush; pulumi up --yes --skip-preview')
  }, timeoutMs)
  afterAll(() => client?.remove())

  /**
   * Runs commands of the page in one shell, with the bucket and the port of the test. A server that
   * they start in the background writes into a file, so the shell can end before it.
   */
  async function runCommands(commands: string, home?: string): Promise<string> {
    const { sandbox, variables } = client
    const script = commands
      .replaceAll('s3://acme-state', `'${oldBackend}'`)
      .replaceAll('7000', String(port))
      .replace(/^(antichain serve .*) &$/m, '$1 > serve.txt 2>&1 &')
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
      await runCommands(readCommands('login'), 'login-home')
      const history = await runCommands(readCommands('engine'), 'login-home')
      // Two deployments of the old backend (of `beforeAll` and the test of the bucket, which ran
      // before), the import, and one of each command line.
      expect(history.match(/^\d+ +\w+ +succeeded/gm)).toHaveLength(5)
    },
    timeoutMs,
  )

  test(
    'back to a backend of Pulumi needs only the exported state',
    async () => {
      oldBackend = (await createBackendAddress('s3', '')).address
      await runCommands(readCommands('back'), 'login-home')
      // The provider still has its one object, so nothing was created or deleted.
      expect(client.sandbox.listObjects()).toHaveLength(1)
    },
    timeoutMs,
  )
})
