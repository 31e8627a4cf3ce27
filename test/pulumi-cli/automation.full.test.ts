/**
 * The Automation APIs of Pulumi's SDKs, which run Pulumi's own command line as a client of
 * `antichain serve`.
 */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { automationResults } from '../e2e/automation-results.ts'
import { requireSuccess } from '../e2e/sandbox.ts'
import { createVirtualEnvironment, describeWithCommands } from '../e2e/toolchains.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { openStockClient, type StockClient } from './stock-client.ts'

const timeoutMs = 900_000
const requirements = resolve(import.meta.dirname, '../fixtures/programs/python/requirements.txt')

let client: StockClient | undefined

afterEach(async () => {
  await client?.remove()
  client = undefined
})

/** Runs a fixture with an interpreter. Returns the JSON value of its last line. */
async function runAutomation(fixture: string, interpreter: string, file: string): Promise<unknown> {
  const cli = buildPulumiCli(cliVersions[0])
  client = await openStockClient(cli, fixture)
  const { sandbox, variables } = client
  const root = join(sandbox.program, 'root')
  mkdirSync(join(root, 'bin'), { recursive: true })
  symlinkSync(cli, join(root, 'bin', 'pulumi'))
  const env = { ...variables, COMMAND_ROOT: root }
  const { out } = requireSuccess(await sandbox.start([file], { command: interpreter, env }).done)
  return JSON.parse(out.trim().split('\n').at(-1) ?? '')
}

describeWithCommands('the Automation API with stacks of a server', [['go', 'version']], () => {
  test(
    'deploys, refreshes and destroys an inline program of Node',
    async () => {
      const printed = await runAutomation('automation', process.execPath, 'main.js')
      expect(printed).toMatchObject({ ...automationResults, stacks: [] })
      expect(client?.sandbox.listObjects()).toEqual([])
    },
    timeoutMs,
  )

  describeWithCommands('in Python', [['python3', '-m', 'venv', '--help']], () => {
    test(
      'deploys, refreshes and destroys an inline program',
      async () => {
        const interpreter = join(createVirtualEnvironment(requirements), 'bin', 'python')
        const printed = await runAutomation('automation-python', interpreter, 'main.py')
        expect(printed).toMatchObject(automationResults)
        expect(client?.sandbox.listObjects()).toEqual([])
      },
      timeoutMs,
    )
  })
})
