import { afterEach, expect, test } from 'vitest'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { requireSuccess, waitUntil } from '../e2e/sandbox.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { openStockClient, type StockClient } from './stock-client.ts'

let client: StockClient | undefined

afterEach(async () => {
  await client?.remove()
  client = undefined
})

const [cliVersion] = cliVersions

/** Opens a client with a stack whose update waits in the provider's create of `thing`. */
async function openHangingUpdate(env: Readonly<Record<string, string>> = {}) {
  const openedClient = await openStockClient(buildPulumiCli(cliVersion))
  client = openedClient
  const { pulumi, startPulumi, sandbox } = openedClient
  requireSuccess(await pulumi(['stack', 'init', 'dev']))
  const up = startPulumi(['up', '--yes', '--skip-preview'], {
    // With GOLD_ASKED, the provider also records requests that it has not answered.
    GOLD_ASKED: '1',
    DELAY: '8000',
    ...env,
  })
  const isCreating = (): boolean => sandbox.listChanges().some(({ call }) => call === 'create')
  await waitUntil(isCreating, { condition: 'a create', limitMs: 60_000 })
  return { ...openedClient, up }
}

describeWithCommands("kills around Pulumi's own command line", [['go', 'version']], () => {
  test('a killed client blocks the stack until a cancel, which keeps every entry', async () => {
    const { up, antichain, pulumi, sandbox } = await openHangingUpdate()
    up.kill('SIGKILL', 'group')
    await up.done
    // Both command lines name the holder of the stack, and the age of the update.
    const busy = await pulumi(['up', '--yes', '--skip-preview'])
    expect(busy.err + busy.out).toMatch(/began \d+ s ago and is held by admin: pulumi up/)
    const ownBusy = await antichain(['up', '--yes', '--skip-preview', '-s', 'dev'])
    expect(ownBusy.err).toMatch(/began \d+ s ago and is held by admin: pulumi up/)
    requireSuccess(await pulumi(['cancel', '--yes']))
    const state = JSON.parse(await sandbox.exportState()) as {
      deployment: { resources: unknown[]; pending_operations: { type: string }[] }
    }
    // The stack and its default provider are created, and the create of `thing` is pending.
    expect(state.deployment.resources).toHaveLength(2)
    expect(state.deployment.pending_operations).toMatchObject([{ type: 'creating' }])
    const history = requireSuccess(await antichain(['stack', 'history', '-s', 'dev', '--json'])).out
    expect(JSON.parse(history)).toMatchObject([{ result: 'cancelled' }])
  }, 900_000)

  test("Pulumi's client reports the holder and the age of a running deployment of antichain", async () => {
    const openedClient = await openStockClient(buildPulumiCli(cliVersion))
    client = openedClient
    const { antichain, pulumi, sandbox } = openedClient
    requireSuccess(await antichain(['stack', 'init', 'dev']))
    const env = { GOLD_ASKED: '1', DELAY: '20000' }
    const up = antichain(['up', '--yes', '--skip-preview', '-s', 'dev'], { env })
    const isCreating = (): boolean => sandbox.listChanges().some(({ call }) => call === 'create')
    await waitUntil(isCreating, { condition: 'a create', limitMs: 60_000 })
    requireSuccess(await pulumi(['stack', 'select', 'dev']))
    const name = 'PULUMI_CONFIG_PASSPHRASE'
    const passphrase = { [name]: sandbox.createEnvironment()[name] ?? '' }
    for (const command of ['up', 'refresh', 'destroy']) {
      const busy = await pulumi([command, '--yes', '--skip-preview'], passphrase)
      expect(busy.exit, command).not.toBe(0)
      expect(busy.err + busy.out, command).toMatch(
        /began \d+ s ago and is held by .*: antichain up/,
      )
    }
    requireSuccess(await up)
    expect(sandbox.listObjects()).toHaveLength(1)
  }, 900_000)

  test('a killed client without a journal loses no create that it has reported', async () => {
    const { up, pulumi, sandbox } = await openHangingUpdate({
      PULUMI_DISABLE_JOURNALING: 'true',
      DELAY: '60000',
    })
    const readPending = async (): Promise<readonly { type: string }[]> => {
      const state = JSON.parse(await sandbox.exportState()) as {
        deployment: { pending_operations?: { type: string }[] }
      }
      return state.deployment.pending_operations ?? []
    }
    // Clients send their events every few seconds.
    const isReported = async (): Promise<boolean> => (await readPending()).length > 0
    await waitUntil(isReported, { condition: 'a reported create', limitMs: 30_000 })
    up.kill('SIGKILL', 'group')
    await up.done
    requireSuccess(await pulumi(['cancel', '--yes']))
    expect(await readPending()).toMatchObject([{ type: 'creating' }])
    requireSuccess(await pulumi(['refresh', '--yes', '--skip-preview', '--clear-pending-creates']))
    expect(await readPending()).toEqual([])
  }, 900_000)

  test("`antichain cancel` closes a running deployment of Pulumi's client, and the client fails", async () => {
    const { up, antichain } = await openHangingUpdate()
    requireSuccess(await antichain(['cancel', '--yes', '-s', 'dev']))
    const ended = await up.done
    expect(ended.exit).not.toBe(0)
    requireSuccess(await antichain(['stack', 'export', '-s', 'dev']))
  }, 900_000)

  test('an update continues after the server was killed and started again', async () => {
    const { up, restartServer, pulumi, sandbox } = await openHangingUpdate()
    await restartServer()
    requireSuccess(await up.done)
    expect(sandbox.listObjects()).toHaveLength(1)
    // The delay is an input of `thing`, so without the same value `thing` would change.
    const upAgain = ['up', '--yes', '--skip-preview', '--expect-no-changes']
    requireSuccess(await pulumi(upAgain, { DELAY: '8000' }))
  }, 900_000)
})
